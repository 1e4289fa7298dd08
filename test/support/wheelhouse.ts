/** Packages made for a test, as files that installers take: no index and no network is needed. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

export interface MadePackage {
  name: string;
  version?: string;
  requires?: readonly string[];
  /** Content of its only module, which has its name. */
  code?: string;
  /** Further files beside the module, such as a `.pth`. */
  files?: Record<string, string>;
  /** Bytes of ballast. */
  size?: number;
}

const MAKE_WHEEL = `
import base64, hashlib, json, os, sys, zipfile
folder, text = sys.argv[1:]
p = json.loads(text)
stem = f"{p['name']}-{p['version']}"
files = {p["name"] + ".py": p["code"], **p["files"]}
requires = "".join(f"Requires-Dist: {one}\\n" for one in p["requires"])
info = stem + ".dist-info/"
files[info + "METADATA"] = f"Metadata-Version: 2.1\\nName: {p['name']}\\nVersion: {p['version']}\\n{requires}"
files[info + "WHEEL"] = "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
data = {name: content.encode() for name, content in files.items()}
if p["size"]:
    data[p["name"] + ".bin"] = os.urandom(p["size"])
def row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\\n"
record = "".join(row(*item) for item in data.items()) + info + "RECORD,,\\n"
data[info + "RECORD"] = record.encode()
with zipfile.ZipFile(os.path.join(folder, stem + "-py3-none-any.whl"), "w") as archive:
    for name, content in data.items():
        archive.writestr(name, content)
`;

/** A source archive whose build needs nothing else, and leaves a file that shows that its code ran. */
const MAKE_SDIST = `
import io, sys, tarfile
folder, name, trace, make_wheel = sys.argv[1:]
stem = name + "-1.0"
backend = f'''
import json, subprocess, sys
def build_wheel(folder, config=None, metadata=None):
    open({trace!r}, "w").close()
    package = dict(name={name!r}, version="1.0", requires=[], code="value = 1", files=dict(), size=0)
    subprocess.run([sys.executable, "-c", {make_wheel!r}, folder, json.dumps(package)], check=True)
    return {stem!r} + "-py3-none-any.whl"
'''
files = {
    "PKG-INFO": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: 1.0\\n",
    "pyproject.toml": '[build-system]\\nrequires = []\\nbuild-backend = "backend"\\nbackend-path = ["."]\\n'
        + f'[project]\\nname = "{name}"\\nversion = "1.0"\\n',
    "backend.py": backend,
}
with tarfile.open(f"{folder}/{stem}.tar.gz", "w:gz") as archive:
    for path, content in files.items():
        member = tarfile.TarInfo(f"{stem}/{path}")
        member.size = len(content.encode())
        archive.addfile(member, io.BytesIO(content.encode()))
`;

/** Writes a wheel into a folder. */
export function makeWheel(folder: string, made: MadePackage): void {
  const { version = "1.0", requires = [], code = "value = 1", files = {}, size = 0 } = made;
  const text = JSON.stringify({ name: made.name, version, requires, code, files, size });
  execFileSync("python3", ["-c", MAKE_WHEEL, folder, text]);
}

/** Writes a package into a folder that has no wheel; `trace`: a file that is there once its build has run. */
export function makeSourceOnly(folder: string, name: string, trace: string): void {
  execFileSync("python3", ["-c", MAKE_SDIST, folder, name, trace, MAKE_WHEEL]);
}

/** An index over HTTP that counts what is fetched from it, and may leave the fetching of files without an answer. */
export interface TestIndex {
  url: string;
  /** Names of the files that were asked for. */
  fetched: string[];
  /** Answers nothing to those who ask for a file, until `resume`. */
  stall(): void;
  resume(): void;
  close(): void;
}

/** Serves the wheels of a folder as a simple index (PEP 503) on this machine. */
export async function startIndex(folder: string): Promise<TestIndex> {
  const fetched: string[] = [];
  let waiting: (() => void)[] | undefined;
  const sendFile = (name: string, response: ServerResponse): void => {
    response.end(readFileSync(join(folder, name)));
  };
  const server = createServer(({ url = "" }, response) => {
    const [, kind, name = ""] = url.split("/");
    if (kind === "files") {
      fetched.push(name);
      if (waiting === undefined) sendFile(name, response);
      else waiting.push(() => sendFile(name, response));
      return;
    }
    const files = readdirSync(folder).filter((file) => file.startsWith(`${name}-`));
    if (files.length === 0) response.statusCode = 404;
    response.setHeader("content-type", "text/html");
    response.end(files.map((file) => `<a href="/files/${file}">${file}</a>`).join("\n"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/simple/`,
    fetched,
    stall: () => {
      waiting = [];
    },
    resume: () => {
      const held = waiting ?? [];
      waiting = undefined;
      for (const answer of held) answer();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
