# sys.stdout.buffer writes bytes as they are; the text layer refuses bytes.
import sys

sys.stdout.buffer.write(b"caf\xc3\xa9\n")
sys.stdout.buffer.flush()
sys.stdout.buffer.write(bytes(range(32, 127)) + b"\n")
sys.stdout.write(b"bytes are refused\n")
