"""PostToolUse: journals what was edited; an edited state file is stamped and staged."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("PostToolUse")
