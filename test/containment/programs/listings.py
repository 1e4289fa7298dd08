import os
import subprocess

listing = subprocess.run(["ls", "-la", "/", "/usr", "/etc"], capture_output=True, text=True, check=True).stdout
assert "usr" in listing and "passwd" in listing
assert str(os.getpid()) in [name for name in os.listdir("/proc") if name.isdigit()]
for pid in filter(str.isdigit, os.listdir("/proc")):
    try:
        with open(f"/proc/{pid}/stat") as file:
            assert file.read().startswith(pid)
    except FileNotFoundError:
        pass
assert subprocess.run(["df", "."], capture_output=True).returncode == 0
for path in ("/proc/meminfo", "/proc/cpuinfo", "/proc/self/maps", "/proc/self/mounts", "/proc/uptime", "/proc/loadavg"):
    with open(path) as file:
        assert file.read()
print("works")
