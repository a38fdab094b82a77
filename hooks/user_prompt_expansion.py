"""UserPromptExpansion: a slash command of ours is run, and Claude is told what came of it."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("UserPromptExpansion")
