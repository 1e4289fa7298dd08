# SIGPIPE is ignored, so a write without reader is an error; children get the default back.
import os
import subprocess

reader, writer = os.pipe()
os.close(reader)
try:
    os.write(writer, b"x")
except BrokenPipeError as error:
    print(error)
print(subprocess.run(["sh", "-c", "kill -PIPE $$; echo survived"]).returncode)
