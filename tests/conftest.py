"""How hypothesis searches: without deadlines, and the same way every time on a CI machine."""

import os

from hypothesis import settings

settings.register_profile("search", max_examples=60, deadline=None)
settings.register_profile("steady", max_examples=60, deadline=None, derandomize=True)
settings.load_profile("steady" if os.environ.get("CI") else "search")
