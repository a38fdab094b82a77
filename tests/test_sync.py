"""`holdfast sync` as Claude types it: every wish placed or told, one write, staged; and whatever else stands there, stays."""
