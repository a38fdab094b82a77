"""What must survive a compaction: what the summariser is given, what it left out, and the snapshots of both."""
