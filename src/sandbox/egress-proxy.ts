import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { PyExecutorError } from "../errors.ts";
import type { NetRule } from "./net-rules.ts";

const START_PATIENCE_MS = 10_000;

export interface EgressProxyOptions {
  /** A Python that no run can have written to. */
  python: string;
  /** Where the Python side of this program is. */
  pythonFolder: string;
  /** Where the proxy is to listen. */
  socketPath: string;
  rules: readonly NetRule[];
}

/**
 * The process through which runs reach the hosts that they may reach; `python/py_executor_runtime/proxy` has its ways.
 * It ends with this process, whose end of its stdin closes then.
 */
export class EgressProxy {
  readonly socketPath: string;
  readonly #child: ChildProcess;
  /** Settles when runs can be sent through it; rejects with `containment_unavailable` if it doesn't start. */
  readonly ready: Promise<void>;
  #isOpen = true;

  constructor({ python, pythonFolder, socketPath, rules }: EgressProxyOptions) {
    this.socketPath = socketPath;
    const boot = join(pythonFolder, "py_executor_runtime", "proxy", "boot.py");
    const parameters = ["-E", "-s", "-S", "-B", boot, socketPath, JSON.stringify(rules)];
    this.#child = spawn(python, parameters, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env["PATH"] },
      detached: true, // signals of a terminal are meant for the server, which ends it in order
    });
    this.#child.stdin?.on("error", () => {});
    this.ready = new Promise((resolve, reject) => {
      const fail = (): void => {
        this.#isOpen = false;
        reject(
          new PyExecutorError(
            "containment_unavailable",
            `The proxy that lets code reach the hosts of --allow-net could not be started with ${python}.`,
            { argument: "allowNet" },
          ),
        );
      };
      const patience = setTimeout(fail, START_PATIENCE_MS);
      const settle = (then: () => void) => (): void => {
        clearTimeout(patience);
        then();
      };
      this.#child.stdout?.once("data", settle(resolve));
      this.#child.once("error", settle(fail));
      this.#child.once("exit", settle(fail));
    });
    this.ready.catch(() => {}); // whoever needs it awaits it
  }

  /** Whether it still runs. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Ends it; returns when it is gone. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }
}
