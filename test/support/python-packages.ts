/** Small packages of the test's own, as wheels, and environments to install them into. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Builds a wheel (PEP 427) of one module; prints its path. */
const BUILD_WHEEL = `
import sys, zipfile
folder, name, version, source = sys.argv[1:]
path = f"{folder}/{name}-{version}-py3-none-any.whl"
info = f"{name}-{version}.dist-info"
files = {
    f"{name}/__init__.py": source,
    f"{info}/METADATA": f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n",
    f"{info}/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
files[f"{info}/RECORD"] = "".join(f"{file},,\\n" for file in files) + f"{info}/RECORD,,\\n"
with zipfile.ZipFile(path, "w") as wheel:
    for file, text in files.items():
        wheel.writestr(file, text)
print(path)
`;

/** A virtual environment whose packages come from wheels that the test builds. */
export class PackageEnvironment {
  readonly python: string;
  readonly #wheels: string;

  /**
   * @param venv where to make it; takes some seconds
   * @param wheels a folder for the wheels
   */
  constructor(venv: string, wheels: string) {
    execFileSync("python3", ["-m", "venv", venv]);
    this.python = join(venv, "bin", "python");
    this.#wheels = wheels;
  }

  install(name: string, version: string, source: string): void {
    const wheel = execFileSync(
      this.python,
      ["-c", BUILD_WHEEL, this.#wheels, name, version, source],
      {
        encoding: "utf8",
      },
    ).trim();
    this.#pip("install", "--no-index", "--no-deps", "--upgrade", wheel);
  }

  uninstall(name: string): void {
    this.#pip("uninstall", "--yes", name);
  }

  #pip(...args: string[]): void {
    execFileSync(this.python, ["-m", "pip", "--quiet", "--disable-pip-version-check", ...args], {
      stdio: "pipe",
    });
  }
}
