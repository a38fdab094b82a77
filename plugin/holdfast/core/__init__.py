"""Files, the lock, times, JSON, processes and the cache; imports no other package of holdfast."""
