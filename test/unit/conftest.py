"""Property tests look for new examples on a desk, and take the same ones every time where CI is set."""

import os

from hypothesis import settings

settings.register_profile('repeatable', derandomize=True)
if os.environ.get('CI'):
    settings.load_profile('repeatable')
