"""The store: stage outputs on disk and in memory, by the hash of what they were made from."""
