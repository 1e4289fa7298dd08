import os
import shutil
import subprocess


def git(*arguments):
    options = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    return subprocess.run(["git", *options, *arguments], check=True, capture_output=True, text=True).stdout


shutil.rmtree("repository", ignore_errors=True)
os.mkdir("repository")
os.chdir("repository")
git("init", "--quiet")
with open("note.txt", "w") as file:
    file.write("one\n")
assert "note.txt" in git("status", "--short")
git("add", "note.txt")
git("commit", "--quiet", "-m", "first")
git("checkout", "--quiet", "-b", "other")
assert "first" in git("log", "--oneline")
assert git("diff", "HEAD") == ""
print("works")
