import os
import shutil
import subprocess
import sys

shutil.rmtree("made", ignore_errors=True)
subprocess.run([sys.executable, "-m", "venv", "--without-pip", "made"], check=True)
found = subprocess.run(
    ["made/bin/python", "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True, check=True
).stdout.strip()
assert found == os.path.abspath("made"), found
shutil.rmtree("made")
print("works")
