"""Tables as other tools print them, of the same loans: each is read, fits, holds the truth."""

import io

import numpy as np
import pandas as pd
import pytest

import capcurve as cap

LOANS = cap.count_scores("y", "int_rate", data="src/capcurve/datasets/loans.csv")
GAINS = cap.gains_table(LOANS)
N, P = GAINS["n"], GAINS["positives"]
M = N - P
CN, CP, CM = np.cumsum(N), np.cumsum(P), np.cumsum(M)
n, n1, n0 = CN[-1], CP[-1], CM[-1]
LOW, HIGH = GAINS["score_to"], GAINS["score_from"]


def percent(shares, decimals=1):
    return [f"{100 * share:.{decimals}f}%" for share in shares]


def kds():
    return pd.DataFrame({
        "decile": range(1, 11), "prob_min": LOW, "prob_max": HIGH, "prob_avg": (LOW + HIGH) / 2,
        "cnt_cust": N, "cnt_resp": P.astype(float), "cnt_non_resp": M.astype(float),
        "cnt_resp_rndm": np.full(10, n1 / 10), "cnt_resp_wiz": [517.0] + [0.0] * 9,
        "resp_rate": np.round(100 * P / N, 2), "cum_cust": CN, "cum_resp": CP,
        "cum_resp_wiz": [517.0] * 10, "cum_non_resp": CM, "cum_cust_pct": np.round(100 * CN / n, 2),
        "cum_resp_pct": np.round(100 * CP / n1, 2), "cum_resp_pct_wiz": [100.0] * 10,
        "cum_non_resp_pct": np.round(100 * CM / n0, 2),
        "KS": np.round(100 * (CP / n1 - CM / n0), 2),
        "lift": np.round((CP / n1) / (CN / n), 2),
    })  # fmt: skip


def scorecardpy():
    return pd.DataFrame({
        "variable": "int_rate", "bin": [f"[{a},{b})" for a, b in zip(LOW, HIGH, strict=True)],
        "count": N, "count_distr": N / n, "good": M, "bad": P, "badprob": P / N,
        "woe": np.log((P / n1) / (M / n0)), "bin_iv": 0.01, "total_iv": 0.9, "breaks": HIGH,
        "is_special_values": False,
    })  # fmt: skip


def optbinning():
    rows = pd.DataFrame({
        "Bin": [f"[{a}, {b})" for a, b in zip(LOW, HIGH, strict=True)] + ["Special", "Missing", ""],
        "Count": [*N, 0, 0, n], "Count (%)": [*(N / n), 0, 0, 1], "Non-event": [*M, 0, 0, n0],
        "Event": [*P, 0, 0, n1], "Event rate": [*(P / N), 0, 0, n1 / n],
    })  # fmt: skip
    rows.index = [*range(12), "Totals"]
    return rows.assign(WoE=0.1, IV=0.02, JS=0.003)


def gains_of_r():
    rate, base = CP / CN, n1 / n
    lines = ["Depth;N;Cume N;Mean Resp;Cume Mean Resp;Cume Pct of Total Resp;Lift Index;Cume Lift"]
    for at in range(10):
        lift, cum_lift = 100 * P[at] / N[at] / base, 100 * rate[at] / base
        cells = [round(100 * CN[at] / n), N[at], CN[at], f"{P[at] / N[at]:.2f}", f"{rate[at]:.2f}"]
        cells += [f"{100 * CP[at] / n1:.1f}%", f"{lift:.0f}", f"{cum_lift:.0f}"]
        lines.append(";".join(map(str, cells)))
    return io.StringIO("\n".join(lines))


def sas():
    return pd.DataFrame({
        "Decile": range(1, 11), "Number of Observations": N, "% Response": percent(P / N),
        "Cumulative % Response": percent(CP / CN), "% Captured Response": percent(P / n1),
        "Cumulative % Captured Response": percent(CP / n1), "Lift": np.round(P / N / (n1 / n), 2),
        "Cumulative Lift": np.round(CP / CN / (n1 / n), 2),
        "Gain": np.round(100 * (CP / CN / (n1 / n) - 1), 1),
    })  # fmt: skip


def bank():
    """Best grade first, running sums from the top: the wrong way round for a CAP."""
    up = [column[::-1] for column in (N, P, M)]
    running = [np.cumsum(column) for column in up]
    return pd.DataFrame({
        "Grade": [f"R{at}" for at in range(1, 11)], "# Accounts": [f"{each:,}" for each in up[0]],
        "# Goods": up[2], "# Bads": up[1], "Bad rate": percent(up[1] / up[0], 2),
        "Cum. goods": running[2], "Cum % goods": percent(running[2] / n0),
        "Cum % bads": percent(running[1] / n1),
        "K-S": percent(running[2] / n0 - running[1] / n1, 2),
    })  # fmt: skip


def bank_without_signs():
    return bank().assign(**{"K-S": bank()["K-S"].str.removeprefix("-")})


def spreadsheet():
    """One running lift, called so, and the rate of bads among those below each cut-off."""
    below = np.cumsum(P[::-1])[::-1] / np.cumsum(N[::-1])[::-1]
    return pd.DataFrame({
        "Decile": range(1, 11), "Cases": N, "Bads": P, "Cum % bads": percent(CP / n1),
        "Cum bad rate": percent(below, 2), "Lift": np.round(CP / CN / (n1 / n), 2),
        "KS": percent(abs(CP / n1 - CM / n0)),
    })  # fmt: skip


TOOLS = [kds, scorecardpy, optbinning, gains_of_r, sas, bank, bank_without_signs, spreadsheet]


@pytest.mark.parametrize("made", TOOLS)
def test_the_table_of_a_tool_holds_the_loans(made):
    order = "ascending" if made in (bank, bank_without_signs) else "descending"
    audit = cap.audit_table(made(), positives=517, order=order)
    assert audit.fits, audit.conflicts
    truth = cap.accuracy_ratio(LOANS)
    assert audit.accuracy_ratio.low <= truth <= audit.accuracy_ratio.high
    assert audit.ks.low <= cap.ks(LOANS).statistic <= audit.ks.high
    low, high = (found["cum_positives"] for found in (audit.least, audit.greatest))
    assert np.all(low <= CP)
    assert np.all(high >= CP)
    if made is not gains_of_r:
        assert low.tolist() == high.tolist() == CP.tolist()


@pytest.mark.parametrize("made", [kds, sas, bank])
def test_a_wrong_number_in_it_is_found(made):
    table = made()
    column = "cum_resp_pct" if made is kds else "Cum % bads"
    column = "Cumulative % Captured Response" if made is sas else column
    cells = table[column].astype(object)
    cells[3] = 75.7 if made is kds else "75.7%"
    if made is bank:
        cells[3] = "13.2%"
    order = "ascending" if made is bank else "descending"
    audit = cap.audit_table(table.assign(**{column: cells}), positives=517, order=order)
    assert not audit.fits
    assert column in {cell.column for cell in audit.cells}
