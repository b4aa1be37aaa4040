"""How tests are run: the same way every time, each on its own, and what was left out is said."""

import signal
import sys

import pytest
from hypothesis import settings

from needs import REQUIRED, left_out

# Without deadlines, and the same examples every time; --hypothesis-profile=search draws new ones.
settings.register_profile("steady", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("search", max_examples=60, deadline=None)
settings.load_profile("steady")


class NothingStaysOpen:
    """Figures are closed after every test, those of the examples in docstrings included."""

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self):
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")


def pytest_configure(config):
    # In the background and under `nohup` these are ignored, by the commands that tests start too.
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # Windows knows no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    config.pluginmanager.register(NothingStaysOpen())


def pytest_collection_modifyitems(items):
    if not REQUIRED:
        for item in items:
            if "merge" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="needs time"))


def pytest_terminal_summary(terminalreporter):
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = [report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)]
    for line in left_out(reasons):
        terminalreporter.write_line(line, yellow=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let one worker start one Spark, and one the one browser; all other tests go anywhere."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            start = "/".join(nodeid.split("/")[:2])
            return start if start in {"tests/engines", "tests/page"} else nodeid

    return Together(config, log)
