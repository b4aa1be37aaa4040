"""How tests are run: searches without deadlines, engines by one worker."""

import os

import pytest
from hypothesis import settings

# Without deadlines, and the same way every time on a CI machine.
settings.register_profile("search", max_examples=60, deadline=None)
settings.register_profile("steady", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("steady" if os.environ.get("CI") else "search")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Send the tests of engines to one worker, which starts one Spark; all others go anywhere."""
    from xdist.scheduler import LoadScopeScheduling

    class OneSpark(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return "engines" if nodeid.startswith("tests/engines/") else nodeid

    return OneSpark(config, log)
