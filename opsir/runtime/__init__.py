"""Running compiled programs: arguments, buffers, overlap, caches and the one call path."""
