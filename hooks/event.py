"""Any event of a client that is not Claude Code: event.py CLIENT EVENT."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("".join(sys.argv[2:3]), "".join(sys.argv[1:2]))
