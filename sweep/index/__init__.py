"""Stage 3 of 8, Chunks -> vector index (faiss) | term matrix (BM25)."""
