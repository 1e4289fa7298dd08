"""What every snippet can import from the server that runs it.

Standard library only, Python 3.9 and newer.
"""

from .chunking import chunk_by_count, chunk_by_size, suggest_batch_size

__all__ = ["chunk_by_count", "chunk_by_size", "suggest_batch_size"]
