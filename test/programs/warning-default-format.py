# warnings.warn prints file, line, class, text and the source line to stderr.
import warnings

warnings.warn("plain words")
print("went on")
