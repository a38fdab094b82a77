"""SessionStart: the brief: what this session, and the others, were doing."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("SessionStart")
