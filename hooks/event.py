"""Any event of a client that is not Claude Code: event.py CLIENT EVENT."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

if len(sys.argv) > 2:
    main(sys.argv[2], sys.argv[1])
