# A child inherits stdout, stderr, an empty stdin, the folder and a changed environment.
import os
import subprocess
import sys

os.environ["PLANTED"] = "yes"
os.mkdir("below")
os.chdir("below")
code = "import os, sys; print(os.environ['PLANTED'], os.path.basename(os.getcwd()), repr(sys.stdin.read())); print('e', file=sys.stderr)"
print(subprocess.run([sys.executable, "-c", code]).returncode)
print(os.system("exit 5") >> 8, os.popen("echo piped").read(), end="")
