"""A validation sheet of very large samples, in which chance moves nothing."""

import capcurve as cap
from capcurve.show.chart import Axis, Chart, Line
from capcurve.show.svg import draw


def test_periods_so_large_that_the_limit_of_their_chart_is_0():
    counts = cap.ScoreCounts.from_counts(
        [4, 3, 2, 1], [10**7, 10**7, 10**6, 10**5], [10**7, 10**8, 10**8, 10**9]
    )
    sheet = cap.validate(counts, initial=counts, periods={"2025-01": counts, "2025-02": counts})
    chart = sheet.tests["monitoring.chart"]
    assert "limit 0.00 " in chart.reference
    assert chart.estimate == 0
    assert "evidence of a fall" in sheet.to_html()
    worse = counts.from_counts(
        [4, 3, 2, 1], [10**7, 10**6, 10**6, 10**7], [10**7, 10**8, 10**8, 10**9]
    )
    fallen = cap.validate(counts, initial=counts, periods={"2025-01": counts, "2025-02": worse})
    assert fallen.tests["monitoring.chart"].estimate > 1


def test_a_chart_of_zeros_alone_has_an_axis():
    chart = Chart(title="C", x=Axis(""), y=Axis("", "number"), lines=[Line([0, 1], [0, 0], "C")])
    assert ">1</text>" in draw(chart)
