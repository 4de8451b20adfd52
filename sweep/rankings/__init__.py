"""Stage 4 of 8, queries + indexes -> ranked lists: vector, bm25, fused, reranked.

Also: chunk list -> document list.
"""
