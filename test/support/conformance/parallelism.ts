import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { ExecutorUnderTest } from "../executor.ts";
import { python } from "../python-source.ts";

/** Python's own ways to do several things at once work in a snippet. */
export function doesSeveralThingsAtOnce(given: () => ExecutorUnderTest): void {
  describe("multiprocessing", () => {
    test.each(["fork", "spawn", "forkserver"])(
      "with %s: pools, queues and locks work",
      async (method) => {
        const { stdout, stderr, exitCode } = await given().run(
          python`
          import multiprocessing

          class Point:
              def __init__(self, x):
                  self.x = x

          def double(point):
              return Point(2 * point.x)

          def put(queue, lock):
              with lock:
                  queue.put("from the child")

          if __name__ == "__main__":
              context = multiprocessing.get_context(${`"${method}"`})
              with context.Pool(2) as pool:
                  print([point.x for point in pool.map(double, [Point(1), Point(2)])])
              queue, lock = context.Queue(), context.Lock()
              process = context.Process(target=put, args=(queue, lock))
              process.start()
              print(queue.get(timeout=20))
              process.join()
              print(process.exitcode)
        `,
          { timeout: 50 },
        );
        expect({ stdout, stderr, exitCode }).toEqual({
          stdout: "[2, 4]\nfrom the child\n0\n",
          stderr: "",
          exitCode: 0,
        });
      },
    );

    test.each([
      ["the run's end", ""],
      ["a failure", "raise KeyError"],
      ["the deadline", "import time; time.sleep(60)"],
    ])("what of shared memory and semaphores the code forgot is gone after %s", async (_, end) => {
      const { stdout } = await given().run(
        python`
          import multiprocessing
          from multiprocessing import shared_memory
          memory = shared_memory.SharedMemory(create=True, size=1000)
          semaphore = multiprocessing.get_context("spawn").Semaphore()
          print(memory.name, "sem." + semaphore._semlock.name.strip("/"), flush=True)
          ${end}
        `,
        { timeout: 2 },
      );
      const names = stdout.trim().split(" ");
      expect(names).toHaveLength(2);
      expect(readdirSync("/dev/shm").filter((name) => names.includes(name))).toEqual([]);
    });

    test("concurrent.futures runs in processes and in threads", async () => {
      const { stdout } = await given().run(
        python`
          from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
          def square(n): return n * n
          if __name__ == "__main__":
              for executor in (ProcessPoolExecutor, ThreadPoolExecutor):
                  with executor(2) as workers:
                      print(list(workers.map(square, range(4))))
        `,
        { timeout: 50 },
      );
      expect(stdout).toBe("[0, 1, 4, 9]\n[0, 1, 4, 9]\n");
    });
  });

  describe("asyncio", () => {
    test("has no other loop in its way", async () => {
      const { stdout, stderr } = await given().run(python`
        import asyncio
        async def main():
            return await asyncio.gather(*(asyncio.sleep(0.05, i) for i in range(3)))
        print(asyncio.run(main()))
        print(asyncio.run(main()))
      `);
      expect({ stdout, stderr }).toEqual({ stdout: "[0, 1, 2]\n[0, 1, 2]\n", stderr: "" });
    });

    test("can be woken from threads, and starts programs", async () => {
      const { stdout } = await given().run(
        python`
          import asyncio, socket, threading
          loop = asyncio.new_event_loop()
          threading.Thread(target=loop.run_forever, daemon=True).start()
          print(asyncio.run_coroutine_threadsafe(asyncio.sleep(0, 42), loop).result(timeout=10))
          one, other = socket.socketpair()
          one.send(b"x")
          print(other.recv(1))
          async def child():
              process = await asyncio.create_subprocess_exec("echo", "child", stdout=asyncio.subprocess.PIPE)
              output, _ = await process.communicate()
              return process.returncode, output
          print(asyncio.run(child()))
        `,
        { timeout: 30 },
      );
      expect(stdout).toBe("42\nb'x'\n(0, b'child\\n')\n");
    });
  });

  describe("threads", () => {
    test("share the module's names, and an exception in one is shown", async () => {
      const { stdout, stderr, exitCode } = await given().run(python`
        import threading
        found = []
        def work(n):
            found.append(n)
            if n == 2: raise ValueError("in a thread")
        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(sorted(found), threading.current_thread() is threading.main_thread())
      `);
      expect({ stdout, exitCode }).toEqual({ stdout: "[0, 1, 2] True\n", exitCode: 0 });
      expect(stderr).toContain("ValueError: in a thread");
    });
  });
}
