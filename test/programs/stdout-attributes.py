# The type, encoding, error handler and buffering of the three standard streams.
import sys

for stream in (sys.stdin, sys.stdout, sys.stderr):
    print(
        stream.name,
        type(stream).__name__,
        type(stream.buffer).__name__,
        stream.mode,
        stream.encoding,
        stream.errors,
        stream.newlines,
        stream.line_buffering,
        stream.write_through,
        stream.fileno(),
        stream.isatty(),
        stream.closed,
    )
print(sys.stdout is sys.__stdout__, sys.stderr is sys.__stderr__, sys.stdin is sys.__stdin__)
print(sys.stdout.readable(), sys.stdout.writable(), sys.stdin.readable(), sys.stdin.writable())
