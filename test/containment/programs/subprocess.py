import subprocess
import sys

assert subprocess.run(["cat"], input=b"through", capture_output=True, check=True).stdout == b"through"
pipeline = subprocess.run("printf 'b\\na\\n' | sort | head -n 1", shell=True, capture_output=True, check=True)
assert pipeline.stdout == b"a\n"
child = subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True, check=True)
assert child.stdout == "42\n"
assert subprocess.run(["sh", "-c", "exit 3"]).returncode == 3
print("works")
