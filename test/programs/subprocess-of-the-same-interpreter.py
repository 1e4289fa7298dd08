# sys.executable starts the same Python again, and its output and code are caught.
import subprocess
import sys

code = "import sys; print(sys.version_info[:3]); print('err', file=sys.stderr); sys.exit(4)"
done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
print(done.returncode, done.stdout.strip() == str(sys.version_info[:3]), repr(done.stderr))
same = subprocess.run([sys.executable, "-c", "import sys; print(sys.prefix)"], capture_output=True, text=True)
print(same.stdout.strip() == sys.prefix)
