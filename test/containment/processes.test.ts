/** Claim: code sees, signals and reads no processes but its own. */
import { expect, test } from "vitest";
import { testClaim } from "../support/containment/claim.ts";
import { python } from "../support/python-source.ts";
import { isAlive } from "../support/processes.ts";

/** Without namespaces there is one list of processes for all, as there is for all users of a machine. */
const NEED_NAMESPACES = [
  "seeing them in the list of processes",
  "their command lines",
  "any process that isn't the run's own",
];

/** Sends every signal to every process there is, then kills what it can. */
const KILL_ALL = python`
  import os, signal
  for number in range(1, 65):
      for pid in {1, os.getppid(), *map(int, filter(str.isdigit, os.listdir("/proc")))} - {os.getpid()}:
          try:
              os.kill(pid, number)
          except OSError:
              pass
  print("alive", flush=True)
  try:
      os.kill(-1, signal.SIGKILL)
  except ProcessLookupError:
      pass  # there is nobody else
  raise SystemExit(3)
`;

/** A run that has something to hide, and tells the other one where it would be. */
const HIDE = python`
  import os, tempfile, time
  os.environ["OWN"] = own = "SIBLING-" + os.urandom(8).hex()
  path = os.path.join(tempfile.gettempdir(), "own.txt")
  with open(path, "w") as file:
      file.write(own)
  with open("hidden.new", "w") as file:
      file.write(f"{os.getpid()} {path}")
  os.rename("hidden.new", "hidden")
  time.sleep(1.2)
  print("undisturbed")
`;

/** Looks for the other run; \`is_control\` says whether it is to be found. */
const SEEK = python`
  import fcntl, os, signal, time
  while not os.path.exists("hidden"):
      time.sleep(0.02)
  pid, path = open("hidden").read().split()
  found = []

  def attempt(what, function):
      try:
          if function():
              found.append(what)
      except OSError:
          pass

  def write_to_its_pipe(other):
      reading, writing = os.pipe()
      fcntl.fcntl(reading, fcntl.F_SETOWN, other)
      fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
      os.write(writing, b"SIGIO, which ends whoever doesn't expect it")

  others = {int(name) for name in os.listdir("/proc") if name.isdigit()} - {os.getpid(), os.getppid(), 1}
  attempt("its file", lambda: "SIBLING" in open(path).read())
  for other in {int(pid)} if is_control else others:
      attempt("its memory", lambda: open(f"/proc/{other}/maps").read())
      attempt("its variables", lambda: open(f"/proc/{other}/environ").read())
      attempt("its descriptors", lambda: os.readlink(f"/proc/{other}/fd/1"))
      attempt("a signal", lambda: os.kill(other, signal.SIGURG) is None)
      if not is_control:
          attempt("a signal by a pipe", lambda: write_to_its_pipe(other))
  print(", ".join(sorted(set(found))))
`;
const ALL_OF_IT = "a signal, its descriptors, its file, its memory, its variables";

testClaim({
  attack: "processes",
  needNamespaces: NEED_NAMESPACES,
  also: ({ strength, missing }, server) => {
    const isControl = strength === "off";

    test(`runs at the same time ${isControl ? "" : "don't "}reach each other`, async ({ skip }) => {
      skip(missing !== undefined, missing);
      const seek = `is_control = ${isControl ? "True" : "False"}\n${SEEK}`;
      const [held, sought] = await server().runBatch([HIDE, seek]);
      expect(held).toMatchObject({ stdout: "undisturbed\n", exit_code: 0 });
      expect(sought?.stdout).toBe(`${isControl ? ALL_OF_IT : ""}\n`);
    });

    if (isControl) return;
    test("code that kills all that it can ends itself only", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { stdout, exit_code: exitCode } = await server().run(KILL_ALL);
      expect(stdout).toBe("alive\n");
      expect([3, -9]).toContain(exitCode);
      expect(await server().run("print('next')")).toMatchObject({ stdout: "next\n" });
      expect(isAlive(server().client.pid)).toBe(true);
    });
  },
});
