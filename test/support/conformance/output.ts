import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ExecutorUnderTest } from "../executor.ts";
import { descendantsOf, residentBytes } from "../processes.ts";
import { literal, python } from "../python-source.ts";

/** Bytes of a stream that an answer shows by default. */
const SHOWN_BYTES = 100_000;
const MARK = /\n\[… (\d+) of (\d+) bytes of stdout not shown …\]\n/;
const MIB = 1024 * 1024;

/** What a run writes comes back as it was written, within bounds. */
export function carriesOutput(given: () => ExecutorUnderTest): void {
  describe("output", () => {
    test("of Python, of descriptors and of children is in the order in which it was written", async () => {
      const { stdout } = await given().run(python`
        import os, subprocess, sys
        print("first")
        os.write(1, b"second\n")
        subprocess.run([sys.executable, "-c", "print('third')"])
        open("/dev/stdout", "w").write("fourth\n")
        print("fifth", end="")
      `);
      expect(stdout).toBe("first\nsecond\nthird\nfourth\nfifth");
    });

    test("streams are kept apart, and a last line needs no line end", async () => {
      const { stdout, stderr } = await given().run(
        "import sys\nsys.stderr.write('warning')\nsys.stdout.write('text')",
      );
      expect({ stdout, stderr }).toEqual({ stdout: "text", stderr: "warning" });
    });

    test("of any language comes back unchanged", async () => {
      const text = "prêt → ✓ 世界 🎉 עברית e\u0301";
      const { stdout } = await given().run(`naïve = ${JSON.stringify(text)}\nprint(naïve)`);
      expect(stdout).toBe(`${text}\n`);
    });

    test("that isn't text keeps what is text; controls and line ends stay as they are", async () => {
      const { stdout } = await given().run(python`
        import os
        os.write(1, b"caf\xe9 \xff\xfe ok\r\n")
        os.write(1, b"nul\x00 bell\x07 \x1b[31mred\x1b[0m 10%\r20%\n")
      `);
      const red = "\u001b[31mred\u001b[0m";
      expect(stdout).toBe(`caf\uFFFD \uFFFD\uFFFD ok\r\nnul\0 bell\u0007 ${red} 10%\r20%\n`);
    });

    test("a character that was written in two halves is whole", async () => {
      const { stdout } = await given().run(python`
        import os, time
        for byte in "€🎉".encode():
            os.write(1, bytes([byte]))
            time.sleep(0.01)
      `);
      expect(stdout).toBe("€🎉");
    });

    test("comes to a listener while the run goes on, and in all it is the same text", async () => {
      const heard = { stdout: "", stderr: "" };
      const goOn = join(given().folder.workspace, "go-on");
      const result = await given().run(
        python`
          import os, sys, time
          print("é", end="")
          while not os.path.exists(${literal(goOn)}):
              time.sleep(0.01)
          print("heard", file=sys.stderr)
          print("end")
        `,
        { timeout: 20 },
        {
          onOutput: (stream, text) => {
            heard[stream] += text;
            if (heard.stdout === "é") writeFileSync(goOn, "");
          },
        },
      );
      expect(result).toMatchObject({ status: "ok", stdout: "éend\n", stderr: "heard\n" });
      expect(heard).toEqual({ stdout: "éend\n", stderr: "heard\n" });
    });
  });

  describe("long output", () => {
    test("shows its beginning and its end, and says how much is missing", async () => {
      const { stdout, exitCode, truncated } = await given().run(python`
        for i in range(60000):
            print(f"row {i:06d} of a report")
        print("the answer")
      `);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^row 000000 of a report\n/);
      expect(stdout).toMatch(/row 059999 of a report\nthe answer\n$/);
      const [, missing, total] = MARK.exec(stdout) ?? [];
      expect(Number(total)).toBe(60000 * 23 + 11);
      const shown = Buffer.byteLength(stdout.replace(MARK, ""));
      expect(Number(missing)).toBe(Number(total) - shown);
      expect(shown).toBeLessThanOrEqual(SHOWN_BYTES);
      expect(truncated?.stdout).toMatchObject({ totalBytes: Number(total), shownBytes: shown });
    });

    test("of one single line is bounded too", async () => {
      const { stdout } = await given().run("print('A' * 3_000_000 + 'END')");
      expect(stdout.length).toBeLessThan(SHOWN_BYTES + 200);
      expect(stdout).toMatch(/^AAA[^]+AAAEND\n$/);
    });

    test("is cut between characters", async () => {
      const { stdout } = await given().run("print('€🎉' * 500_000)");
      expect(stdout).not.toContain("\uFFFD");
      expect(stdout.replace(MARK, "")).toMatch(/^(€🎉)+€?🎉?(€🎉)+\n$/u);
    });

    test("just within the bound is shown whole", async () => {
      const { stdout, truncated } = await given().run(`print('x' * ${SHOWN_BYTES}, end='')`);
      expect(stdout).toHaveLength(SHOWN_BYTES);
      expect(truncated).toBeUndefined();
    });

    test("on both streams at once is read from both", async () => {
      const result = await given().run(python`
        import os, threading
        def write(fd):
            for _ in range(200):
                os.write(fd, b"z" * 65536)
        writers = [threading.Thread(target=write, args=(fd,)) for fd in (1, 2)]
        for writer in writers: writer.start()
        for writer in writers: writer.join()
      `);
      expect(result).toMatchObject({ status: "ok" });
      expect(result.truncated?.stdout?.totalBytes).toBe(200 * 65536);
      expect(result.truncated?.stderr?.totalBytes).toBe(200 * 65536);
    });

    test("without end costs constant memory here and in the processes that carry it, and others run", async () => {
      await given().run("print('x' * 20_000_000)"); // what is bounded is allocated once
      const before = residentBytes(process.pid);
      const endless = given().run(
        "import os\npiece = b'y' * 1_000_000\nwhile True: os.write(1, piece)",
        { timeout: 4 },
      );
      let peak = 0;
      let peakOfOthers = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, residentBytes(process.pid));
        const others = descendantsOf(process.pid).map(({ pid }) => residentBytes(pid));
        peakOfOthers = Math.max(peakOfOthers, ...others);
      }, 100);
      const other = await given().run("print('not disturbed')", { timeout: 60 });
      const { status, stdout, truncated } = await endless;
      clearInterval(watch);
      expect(other.stdout).toBe("not disturbed\n");
      expect(status).toBe("timeout");
      expect(stdout.length).toBeLessThan(SHOWN_BYTES + 200);
      // far more was written than the memory that is allowed below
      expect(truncated?.stdout?.totalBytes).toBeGreaterThan(400 * MIB);
      expect(peak - before).toBeLessThan(100 * MIB);
      expect(peakOfOthers).toBeLessThan(100 * MIB);
    });
  });

  describe("forged output", () => {
    test("that looks like an answer is just text", async () => {
      const { stdout, exitCode } = await given().run(python`
        import os, sys
        forged = b'{"jsonrpc": "2.0", "id": 1, "result": {"exit_code": 0}}\n'
        for path in ("/dev/stdout", "/proc/self/fd/1"):
            with open(path, "ab", 0) as file:
                file.write(forged)
        os.write(1, b"X\x00\x00\x00\x00")
        sys.exit(6)
      `);
      const forged = '{"jsonrpc": "2.0", "id": 1, "result": {"exit_code": 0}}\n';
      expect({ stdout, exitCode }).toEqual({ stdout: `${forged}${forged}X\0\0\0\0`, exitCode: 6 });
    });

    /** Code that writes what it likes to every descriptor above 2, then ends with exit code 6. */
    const writesEverywhere = (bytes: string): string => python`
      import os, sys
      def field(text):
          return len(text).to_bytes(4, "big") + text
      def fields(**values):
          return b"".join(field(name.encode()) + field(value) for name, value in values.items())
      forged = ${bytes}
      for name in os.listdir("/proc/self/fd"):
          try:
              if int(name) > 2:
                  os.set_blocking(int(name), False)
                  os.write(int(name), forged)
          except OSError:
              pass
      sys.exit(6)
    `;

    test.each([
      ["noise", "os.urandom(5000)"],
      ["an end, in the frames of the server", 'b"X" + field(fields(end=b"exit", exit_code=b"0"))'],
      ["output, in the frames of the server", 'b"O" + field(b"forged")'],
      ["a length without an end", 'b"\\xff" * 4000'],
      ["an unknown report", "field(fields(forged=b'yes'))"],
      ["a report with half a field", "field(b'\\0\\0\\0\\x09exit_code\\0\\0\\0\\x09')"],
    ])("in descriptors above 2 (%s) changes nothing", async (_, bytes) => {
      const { exitCode, status, stdout, result } = await given().run(writesEverywhere(bytes));
      expect({ exitCode, status, stdout, result }).toEqual({
        exitCode: 6,
        status: "error",
        stdout: "",
        result: undefined,
      });
    });

    test.each([
      ["an exit code that is no number", "fields(exit_code=b'none')"],
      ["an exit code that no process has", "fields(exit_code=b'123456789')"],
      ["that it never ran", "fields(error=b'forged', exit_code=b'0')"],
    ])("in the words of the runner can't claim %s", async (_, bytes) => {
      const { exitCode, status } = await given().run(writesEverywhere(`field(${bytes})`));
      expect(exitCode).toBeGreaterThanOrEqual(-64);
      expect(exitCode).toBeLessThanOrEqual(255);
      expect(["ok", "error", "signal"]).toContain(status);
    });

    test("in the words of the runner is bounded like any value", async () => {
      const code = python`
        import os
        text = b"x" * 12_000_000
        report = b"".join(len(part).to_bytes(4, "big") + part for part in (b"result", text))
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2:
                try:
                    os.write(int(name), len(report).to_bytes(4, "big") + report)
                except OSError:
                    pass
      `;
      const { result } = await given().run(code, { timeout: 20 });
      expect(result?.length ?? 0).toBeLessThan(SHOWN_BYTES);
    });

    test("without end can't hold off the deadline or fill the memory of others", async () => {
      const running = given().run(
        python`
          import os
          fds = [int(name) for name in os.listdir("/proc/self/fd") if int(name) > 2]
          while True:
              for fd in fds:
                  try:
                      os.write(fd, bytes(65536))
                  except OSError:
                      pass
        `,
        { timeout: 2 },
      );
      let peak = 0;
      const watch = setInterval(() => {
        const others = descendantsOf(process.pid).map(({ pid }) => residentBytes(pid));
        peak = Math.max(peak, ...others);
      }, 100);
      const { status, durationMs } = await running;
      clearInterval(watch);
      expect(status).toBe("timeout");
      expect(durationMs).toBeLessThan(6000);
      expect(peak).toBeLessThan(150 * MIB);
    });
  });
}
