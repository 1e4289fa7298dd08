# Input, merged streams, a timeout, a missing program and a failing check.
import subprocess

print(subprocess.run(["cat"], input="fed", capture_output=True, text=True).stdout)
print(repr(subprocess.check_output(["sh", "-c", "printf a; printf b >&2"], stderr=subprocess.STDOUT)))
try:
    subprocess.run(["sleep", "30"], timeout=0.05)
except subprocess.TimeoutExpired as error:
    print(type(error).__name__, error.cmd)
try:
    subprocess.run(["no-such-program-here"])
except FileNotFoundError as error:
    print(error)
subprocess.run(["sh", "-c", "exit 3"], check=True)
