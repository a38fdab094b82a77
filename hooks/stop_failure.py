"""StopFailure: journals that a turn ended with an error of the API, and starts a settle in the background."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("StopFailure")
