"""What must survive a compaction: must-keep facts, omissions and snapshots."""
