# The last line is shown although no newline ends it; see the bytes of this file.
raise ValueError("no newline after this")