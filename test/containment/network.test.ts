/** Claim: code reaches nobody but its own processes. */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { testClaim } from "../support/containment/claim.ts";
import type { ContainedServer } from "../support/containment/contained-server.ts";
import { startListeners } from "../support/containment/listeners.ts";

const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

/** Sockets that programs of the machine might listen on, by where they are. */
function socketsOf({ base, home, outside, workspace }: ContainedServer): Record<string, string> {
  const common = ["/run", "/var/tmp", "/tmp"].flatMap((folder) => {
    try {
      const own = mkdtempSync(join(folder, "py-executor-test-"));
      chmodSync(own, 0o755);
      closers.push(() => rmSync(own, { recursive: true }));
      return [[folder, join(own, "docker.sock")]];
    } catch {
      return []; // not everybody may write there
    }
  });
  return {
    ...Object.fromEntries(common),
    HOME: join(home, "docker.sock"),
    "a hidden folder": join(home, ".docker", "run", "docker.sock"),
    "a folder beside the workspace": join(outside, "app.sock"),
    "a folder above the workspace": join(base, "app.sock"),
    "the workspace": join(workspace, "app.sock"),
  };
}

let known: Record<string, unknown> = {};

testClaim({
  attack: "network",
  prepare: async (server) => {
    const [unix, abstract] = [socketsOf(server), `${server.secret}-abstract`];
    const listeners = await startListeners(server.secret, { unix: Object.values(unix), abstract });
    closers.push(listeners.close);
    known = { unix, abstract, tcp: listeners.tcp, udp: listeners.udp };
  },
  more: (server) => {
    const [own = ""] = readdirSync(server.temp);
    const folder = join(server.temp, own);
    return {
      ...known,
      addresses: ownAddresses(),
      server_folder: folder,
      server_sockets: readdirSync(folder, { encoding: "utf8", recursive: true }),
    };
  },
});

function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address);
}
