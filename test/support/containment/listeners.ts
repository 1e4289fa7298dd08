/** What a run must not reach: listeners of the machine, of every kind, each of which tells a secret to whoever comes. */
import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname } from "node:path";

/** Listens at an abstract address, which Node pads with NULs. */
const ABSTRACT_LISTENER = `
import socket, sys
name, secret = sys.stdin.readline().split()
listener = socket.socket(socket.AF_UNIX)
listener.bind("\\0" + name)
listener.listen()
print("ready", flush=True)
while True:
    connection, _ = listener.accept()
    connection.sendall(secret.encode())
    connection.close()
`;

export interface Listeners {
  /** Port, on all addresses. */
  readonly tcp: number;
  /** Port. */
  readonly udp: number;
  readonly close: () => Promise<void>;
}

/** Starts listeners; `unix` names the sockets' paths, and `abstract` an address. */
export async function startListeners(
  secret: string,
  { unix, abstract }: { unix: readonly string[]; abstract: string },
): Promise<Listeners> {
  const closers: (() => unknown)[] = [];
  const listen = async (address: { path: string } | { host: string; port: number }) => {
    const server = createServer((visitor) => visitor.on("error", () => {}).end(secret));
    await once(server.listen(address), "listening");
    closers.push(() => server.close());
    return server.address();
  };
  const tcp = (await listen({ host: "::", port: 0 }).catch(() =>
    listen({ host: "0.0.0.0", port: 0 }),
  )) as AddressInfo;
  for (const path of unix) {
    mkdirSync(dirname(path), { recursive: true });
    await listen({ path });
    chmodSync(path, 0o777);
    closers.push(() => rmSync(path, { force: true }));
  }
  const datagrams = createSocket("udp4");
  datagrams.on("message", (_, { port, address }) => datagrams.send(secret, port, address));
  datagrams.bind(0, "127.0.0.1");
  await once(datagrams, "listening");
  closers.push(() => datagrams.close());
  const listener = spawn("python3", ["-c", ABSTRACT_LISTENER], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  listener.stdin.write(`${abstract} ${secret}\n`);
  await once(listener.stdout, "data");
  closers.push(async () => {
    listener.kill("SIGKILL");
    await once(listener, "close");
  });
  return {
    tcp: tcp.port,
    udp: datagrams.address().port,
    close: async () => {
      for (const close of closers) await close();
    },
  };
}
