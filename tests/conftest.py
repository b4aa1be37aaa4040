"""How tests are run: searches without deadlines, engines and the browser by one worker each."""

import os

import pytest
from hypothesis import settings

# Without deadlines, and the same way every time on a CI machine.
settings.register_profile("search", max_examples=60, deadline=None)
settings.register_profile("steady", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("steady" if os.environ.get("CI") else "search")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Let one worker start one Spark, and one the one browser; all other tests go anywhere."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            start = "/".join(nodeid.split("/")[:2])
            return start if start in {"tests/engines", "tests/page"} else nodeid

    return Together(config, log)
