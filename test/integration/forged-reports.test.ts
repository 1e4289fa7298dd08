import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { startExecutor, type ExecutorUnderTest } from "../support/executor.ts";
import { python } from "../support/python-source.ts";

/** Code that finds the pipe on which its own process reports how the run ended, and can write to it. */
const FORGER = python`
  import os

  def report(**fields):
      parts = [part for name, value in fields.items() for part in (name.encode(), value)]
      payload = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
      return len(payload).to_bytes(4, "big") + payload

  def is_pipe(fd):
      try:
          return os.readlink(f"/proc/self/fd/{fd}").startswith("pipe:")
      except OSError:
          return False  # the one that the folder was listed through

  PIPES = [fd for fd in map(int, os.listdir("/proc/self/fd")) if fd > 2 and is_pipe(fd)]

  def forge(data):
      for fd in PIPES:
          os.write(fd, data)
`;

let executor: ExecutorUnderTest;

beforeEach(async () => {
  executor = startExecutor({ maxRuns: 1 });
  await executor.run("pass"); // from here on, all runs have the same place
});
afterEach(async () => {
  expect(await executor.close()).toEqual([]);
});

// Those that are marked as failing are known failures: the mark goes when they are mended.
describe.runIf(process.platform === "linux")("code that forges the report of its end", () => {
  test("can end its own run only: the next one has its own output and its own end", async () => {
    for (let round = 0; round < 30; round += 1) {
      await executor.run(`${FORGER}
forge(report(exit_code=b"0", has_children=b"0"))
more = report(exit_code=b"7", result=b"forged") * 10
while True:
    os.write(1, b"forged ")
    forge(more)
`);
      const next = await executor.run("print('own')");
      expect(next).toMatchObject({ status: "ok", exitCode: 0, stdout: "own\n" });
      expect(next).not.toHaveProperty("result");
    }
  });

  test("can't make of its run one that never began", async () => {
    const result = await executor.run(`${FORGER}\nforge(report(error=b"no"))\nprint("begun")`);
    expect(result).toMatchObject({ status: "ok", exitCode: 0, stdout: "begun\n", stderr: "" });
  });

  test.each(["abc", "1e999", "1.5", "300"])("can't give it an exit code of %j", async (code) => {
    const forging = `forge(report(exit_code=b"${code}"))\nimport time\ntime.sleep(1)`;
    const { exitCode } = await executor.run(`${FORGER}\n${forging}`);
    expect(exitCode).toSatisfy(Number.isInteger);
    expect(exitCode).toBeLessThan(256);
  });
});
