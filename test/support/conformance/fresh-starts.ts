import { describe, expect, test } from "vitest";
import type { ExecutorUnderTest } from "../executor.ts";
import { python } from "../python-source.ts";

/** A snippet leaves nothing for the next one, and what has to differ from run to run differs. */
export function startsAfresh(given: () => ExecutorUnderTest): void {
  describe("from one run to the next", () => {
    test("no variable, module, setting, limit, timer or thread stays", async () => {
      const askUsual = "import os\nprint(oct(os.umask(0o22)), os.nice(0))";
      const [umask, niceness = ""] = (await given().run(askUsual)).stdout.trim().split(" ");
      await given().run(python`
        import builtins, decimal, json, os, random, resource, signal, sys, threading, time, warnings
        kept = 41
        threading.Thread(target=lambda: (time.sleep(1), os.write(1, b"late")), daemon=True).start()
        json.loads = os.getcwd = builtins.sum = lambda *args: "left over"
        sys.modules["math"] = json
        sys.path.insert(0, "/left-over")
        sys.setrecursionlimit(200)
        decimal.getcontext().prec = 1
        random.seed(0)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.alarm(1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
        warnings.simplefilter("error")
        os.environ["LEFT_OVER"] = "1"
        os.umask(0o777)
        os.nice(5)
        os.chdir("/")
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
      `);
      const { stdout, stderr } = await given().run(python`
        import decimal, json, math, os, resource, signal, subprocess, sys, time, warnings
        time.sleep(1.2)
        print("kept" in globals(), sum([1, 1]), json.loads("[1]"), math.sqrt(4), os.getcwd())
        print("/left-over" in sys.path, sys.getrecursionlimit(), decimal.getcontext().prec)
        print(signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL, signal.pthread_sigmask(0, []))
        print(os.environ.get("LEFT_OVER"), oct(os.umask(0o22)), os.nice(0) - ${niceness})
        print(resource.getrlimit(resource.RLIMIT_NOFILE)[0] > 64)
        print(subprocess.run(["true"]).returncode)
        warnings.warn("shown")
      `);
      expect(stdout.split("\n")).toEqual([
        `False 2 [1] 2.0 ${given().folder.workspace}`,
        "False 1000 28",
        "True set()",
        `None ${umask} 0`,
        "True",
        "0",
        "",
      ]);
      expect(stderr).toContain("UserWarning: shown");
    });

    test("a pipe that was made non-blocking, as asyncio does it, is a new one", async () => {
      const code = "import os\nfor fd in (0, 1, 2): os.set_blocking(fd, False)";
      await given().runBatch({ codes: Array<string>(8).fill(code) });
      const asking = "import os\nprint([os.get_blocking(fd) for fd in (0, 1, 2)])";
      const results = await given().runBatch({ codes: Array<string>(8).fill(asking) });
      expect(new Set(results.map(({ stdout }) => stdout))).toEqual(
        new Set(["[True, True, True]\n"]),
      );
    });

    test("what was written to the descriptors of the runner is not taken for the next run's", async () => {
      const forging = python`
        import os, threading, time
        def field(text):
            return len(text).to_bytes(4, "big") + text
        def report(**values):
            return field(b"".join(field(name.encode()) + field(value) for name, value in values.items()))
        forged = report(exit_code=b"0", result=b"x" * 50_000)
        def keep_writing(fd):
            while True:
                os.write(fd, forged)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2:
                threading.Thread(target=keep_writing, args=(int(name),), daemon=True).start()
        time.sleep(0.5)
        os._exit(0)
      `;
      const codes = ["", "import json, uuid\n"].flatMap((imports) =>
        Array<string>(8).fill(`${imports}print('ran')\nraise SystemExit(3)`),
      );
      for (let round = 0; round < 3; round += 1) {
        await given().runBatch({ codes: Array<string>(8).fill(forging), timeout: 2 });
        const results = await given().runBatch({ codes, timeout: 5 });
        const told = results.map(({ stdout, exitCode, result }) => [stdout, exitCode, result]);
        expect(told).toEqual(codes.map(() => ["ran\n", 3, undefined]));
      }
    });

    test("a variable that was not set again is a NameError", async () => {
      await given().run("total = 41");
      const { exitCode, stderr } = await given().run("print(total + 1)");
      expect(exitCode).toBe(1);
      expect(stderr).toContain("NameError: name 'total' is not defined");
    });

    test("random numbers, identifiers, names of temporary files and hashes differ", async () => {
      const code = python`
        import os, random, secrets, ssl, tempfile, uuid
        print(random.random())
        print(random.SystemRandom().random())
        print(uuid.uuid4())
        print(uuid.uuid1())
        print(secrets.token_hex(8))
        print(ssl.RAND_bytes(8).hex())
        print(next(tempfile._get_candidate_names()))
        print(os.urandom(8).hex())
      `;
      const results = await given().runBatch({ codes: Array<string>(8).fill(code) });
      const lines = results.flatMap(({ stdout }) => stdout.trim().split("\n"));
      expect(lines).toHaveLength(64);
      expect(new Set(lines).size).toBe(64);
    });
  });
}
