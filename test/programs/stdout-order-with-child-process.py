# What a child process prints lands between the lines of the parent, without any flush.
import os
import subprocess
import sys

print("parent before")
subprocess.run([sys.executable, "-c", "print('child one')"], check=True)
sys.stdout.write("parent between, ")
os.system("echo from the shell")
print("parent after")
