"""SessionEnd: marks the end and settles in the background."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("SessionEnd")
