"""Notification: records that the client waits for the user."""

import sys

sys.path.insert(0, __file__.rpartition("hooks/")[0] + "plugin")

from holdfast.hooks.main import main

main("Notification")
