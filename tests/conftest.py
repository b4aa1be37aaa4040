"""How tests are run: the same way every time, each on its own, and what was left out is said."""

import collections
import functools
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from needs import MAY_LACK, REQUIRED, is_here, left_out, needed

# Without deadlines, and the same examples every time; --hypothesis-profile=search draws new ones,
# those of a seed with --hypothesis-seed.
settings.register_profile("steady", max_examples=10, deadline=None, derandomize=True)
# Whether examples drawn anew are filtered often is luck, and no fault of what is tested.
LUCK = [HealthCheck.filter_too_much]
settings.register_profile("search", max_examples=40, deadline=None, suppress_health_check=LUCK)
settings.register_profile(
    "thorough", max_examples=40, deadline=None, derandomize=True, suppress_health_check=LUCK
)
settings.load_profile("thorough" if REQUIRED else "steady")

LEFT_OUT = pytest.StashKey[dict]()
GENERATORS = pytest.StashKey[dict]()
GOLDEN = Path(__file__).parent / "golden"


class NothingStaysOpen:
    """Figures are closed after every test, those of the examples in docstrings included."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self):
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")


def pytest_addoption(parser):
    said = "write what results say into tests/golden, to be read in review"
    parser.addoption("--golden", action="store_true", help=said)


@pytest.fixture
def golden(request):
    """Compare a text with the file that has its name, or with --golden write the file."""

    def compared(name, text):
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("golden"):
            path.write_text(text, "utf-8")
        assert text == path.read_text("utf-8")

    return compared


def pytest_configure(config):
    # In the background and under `nohup` these are ignored, by the commands that tests start too.
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # Windows knows no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    config.pluginmanager.register(NothingStaysOpen())


def remember_generators(config, items):
    """Remember where the generators of numbers of each module of tests stand when it is loaded."""
    modules = {item.module for item in items if hasattr(item, "module")}
    config.stash[GENERATORS] = {
        module: [
            (value.bit_generator, value.bit_generator.state)
            for value in vars(module).values()
            if isinstance(value, np.random.Generator)
        ]
        for module in modules
    }


def pytest_runtest_setup(item):
    """Let them stand there again, so that no test depends on those before it."""
    for generator, state in item.config.stash[GENERATORS].get(getattr(item, "module", None), ()):
        generator.state = state


def take_turns(items):
    """Mark for the merge all but one in n cases of the tests that are marked so.

    It is another of each n, so that no parameter that runs through n values has always the same.
    """
    seen = collections.Counter()
    for item in items:
        if turns := item.get_closest_marker("turns"):
            test = (item.path, item.originalname)
            n, place = turns.args[0], seen[test]
            if (place + place // n) % n:
                item.add_marker(pytest.mark.merge)
            seen[test] += 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave out the tests that need what is not here; where a merge is judged they fail instead.

    One worker runs all tests of Spark, so that it starts once.
    """
    remember_generators(config, items)
    if config.getoption("golden"):
        items[:] = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
    take_turns(items)
    kept, absent = [], {}
    missing = functools.cache(lambda what: not is_here(what))
    for item in items:
        wanted = needed(item)
        if wanted:
            item.add_marker(pytest.mark.more)
        if "Java" in wanted:
            item.add_marker(pytest.mark.xdist_group("Java"))
        lacking = next(filter(missing, wanted), None)
        if lacking is None or (REQUIRED and lacking not in MAY_LACK):
            kept.append(item)
        else:
            absent.setdefault(lacking, []).append(item)
    config.stash[LEFT_OUT] = {what: len(found) for what, found in absent.items()}
    config.hook.pytest_deselected(items=[item for found in absent.values() for item in found])
    items[:] = kept


def pytest_make_parametrize_id(val):
    """Name no test by a text of megabytes, which the workers would send with every report."""
    return repr(val[:60]) if isinstance(val, str | bytes) and len(val) > 600 else None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Tell the process that started this one what was left out here."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left out"] = dict(session.config.stash.get(LEFT_OUT, {}))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    if told := getattr(node, "workeroutput", {}).get("left out"):  # a worker that crashed has none
        node.config.stash[LEFT_OUT] = told


def pytest_terminal_summary(terminalreporter, config):
    for line in left_out(config.stash.get(LEFT_OUT, {})):
        terminalreporter.write_line(line, yellow=True)
