/** Claim: what a run takes of the machine is bounded, and the server goes on. */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { atEachLevel } from "../support/containment/claim.ts";
import { LEVELS } from "../support/containment/levels.ts";
import { makeSafetyNet } from "../support/containment/safety-net.ts";
import { python } from "../support/python-source.ts";
import type { ToolJson } from "../support/stdio-client.ts";

const LIMITS = {
  "--max-memory": "300M",
  "--max-processes": "60",
  "--max-open-files": "200",
  "--max-file-size": "20M",
  "--max-temp-space": "16M",
};
/** How much of the machine's memory may be gone at any moment, the server's own included (bytes). */
const MEMORY_SLACK = 1200 * 1024 ** 2;
/** Processes and threads at any moment: those of a run, those of the server, and the ones that are kept ready. */
const MOST_PROCESSES = 620;
const SECONDS = 8;

/** Ways to take memory. Each goes on until it is stopped; the pieces are small enough for the watch to see them come. */
const MEMORY_BOMBS = {
  "memory of one process": "blocks = []\nwhile True:\n    blocks.append(b'x' * (4 << 20))",
  "memory of many processes": python`
    import os, time
    for _ in range(20):
        if os.fork() == 0:
            blocks = [b"x" * (1 << 20) for _ in range(100)]
            time.sleep(60)
    time.sleep(60)
  `,
  "shared memory without a name": python`
    import mmap
    blocks = []
    while True:
        blocks.append(mmap.mmap(-1, 4 << 20))
        blocks[-1].write(b"x" * (4 << 20))
  `,
  "files in memory": python`
    import os
    files = []
    while True:
        files.append(os.memfd_create("bomb"))
        os.write(files[-1], b"x" * (15 << 20))
  `,
};

/** Takes the kernel's memory: what waits in a socket to be read belongs to no process. */
const SOCKET_BOMB = python`
  import os, socket, time
  for _ in range(5):
      os.fork()
  kept = []
  try:
      while True:
          pair = socket.socketpair()
          kept.append(pair)
          for one in pair:
              one.setblocking(False)
              try:
                  while True:
                      one.send(bytes(60_000))
              except BlockingIOError:
                  pass
  except OSError:
      time.sleep(60)
`;

const FORK_BOMBS = {
  "processes that fork":
    "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
  "processes that start sessions of their own": python`
    import os
    while True:
        try:
            if os.fork() == 0:
                os.setsid()
        except OSError:
            pass
  `,
  threads: python`
    import threading, time
    def wait():
        time.sleep(60)
    while True:
        try:
            threading.Thread(target=wait, daemon=True).start()
        except RuntimeError:
            print("no more", flush=True)
            break
    raise SystemExit(7)
  `,
};

const net = makeSafetyNet();
afterAll(() => net.remove());

atEachLevel(
  LEVELS.filter(({ strength }) => strength !== "off"),
  { args: Object.entries(LIMITS).flat(), prefix: net.prefix },
  ({ missing, strength }, server) => {
    /** Runs a bomb; tells how it ended, how many processes there were at most, and how much memory was taken. */
    async function blast(code: string): Promise<{ answer: ToolJson; most: number; taken: number }> {
      const before = availableBytes();
      let [most, taken] = [0, 0];
      const watch = setInterval(() => {
        most = Math.max(most, net.count());
        taken = Math.max(taken, before - availableBytes());
      }, 10);
      const answer = await server().run(code, { timeout: SECONDS });
      clearInterval(watch);
      return { answer, most, taken };
    }

    for (const [what, code] of Object.entries(MEMORY_BOMBS)) {
      test(`${what} is bounded`, async ({ skip }) => {
        skip(missing !== undefined, missing);
        const { answer, taken } = await blast(code);
        expect(answer.exit_code).not.toBe(0);
        expect(taken).toBeLessThan(MEMORY_SLACK);
        expect(await server().run("print('next')")).toMatchObject({ stdout: "next\n" });
      });
    }

    for (const [what, code] of Object.entries(FORK_BOMBS)) {
      test(`${what} are bounded`, async ({ skip }) => {
        skip(missing !== undefined, missing);
        const { answer, most } = await blast(code);
        expect(answer.exit_code).not.toBe(0);
        // without namespaces they are only watched, and ended when they are seen to be too many
        if (strength === "full") expect(most).toBeLessThan(MOST_PROCESSES);
        expect(await server().run("print('next')")).toMatchObject({ stdout: "next\n" });
      });
    }

    test("one allocation that is too large fails", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const code = "try:\n    bytearray(20 << 30)\nexcept MemoryError:\n    print('refused')";
      expect(await server().run(code)).toMatchObject({ stdout: "refused\n", exit_code: 0 });
    });

    test("open files are bounded", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const answer = await server().run(python`
        import os
        count = 0
        try:
            while True:
                os.dup(0)
                count += 1
        except OSError as error:
            print(error.errno, count < 200)
      `);
      expect(answer).toMatchObject({ stdout: "24 True\n", exit_code: 0 });
    });

    test("the length of a file is bounded", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const answer = await server().run(python`
        import os, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for length in (1 << 40, 21 << 20):
            try:
                with open("long", "wb") as file:
                    os.ftruncate(file.fileno(), length)
                print("made")
            except OSError as error:
                print(error.errno)
      `);
      expect(answer).toMatchObject({ stdout: "27\n27\n", exit_code: 0 });
    });

    if (strength !== "full") return; // without namespaces a run has no temporary space of its own, and no sockets
    test("what waits in sockets is bounded", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { answer, taken } = await blast(SOCKET_BOMB);
      expect(answer.status).toBe("memory");
      expect(taken).toBeLessThan(MEMORY_SLACK);
    });

    test("temporary space is bounded", async ({ skip }) => {
      skip(missing !== undefined, missing);
      const { stdout, exit_code: exitCode } = await server().run(python`
        import os, tempfile
        total = 0
        for folder in (tempfile.gettempdir(), "/var/tmp", "/dev/shm", "/run"):
            for number in range(40):
                try:
                    with open(f"{folder}/fill-{number}", "wb", buffering=0) as file:
                        total += file.write(bytes(1 << 20))
                except OSError as error:
                    reason = error.errno
        inodes = 0
        try:
            while inodes < 20_000:
                os.close(os.open(f"/tmp/node-{inodes}", os.O_CREAT))
                inodes += 1
        except OSError:
            pass
        print(reason, total <= 16 << 20, inodes < 20_000)
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "28 True True\n", exitCode: 0 });
      expect(await server().run("open('/tmp/x', 'w').write('next')")).toMatchObject({
        exit_code: 0,
      });
    });
  },
);

/** Memory that the machine has left, in bytes. */
function availableBytes(): number {
  const kilobytes = /^MemAvailable:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}
