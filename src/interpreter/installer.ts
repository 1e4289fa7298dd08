import { execFile } from "node:child_process";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

/** What installs packages. */
export type Installer =
  | { name: "uv"; program: string }
  /** `program`: the Python whose pip it is; `why`: why it is not uv. */
  | { name: "pip"; program: string; why: string };

/** What is to be installed, and where. */
export interface Installation {
  /** The Python that the environment is of. */
  python: string;
  /** Where the environment is to be; nothing is there yet. */
  folder: string;
  requirements: readonly string[];
  /** Whether what has no wheel may be built, which runs its authors' code. */
  allowBuild: boolean;
}

/** Settings of an index that only the one or only the other installer reads. */
const INDEX_OF_PIP =
  /^PIP_(?:INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|CONSTRAINT|TRUSTED_HOST)$/;
const INDEX_OF_UV =
  /^UV_(?:INDEX|DEFAULT_INDEX|INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|FIND_LINKS|OFFLINE|CONFIG_FILE)$/;
/** What would lead an installer elsewhere than into the environment that is being made. */
const MISLEADING =
  /^(?:PYTHON.*|VIRTUAL_ENV|CONDA_PREFIX|__PYVENV_LAUNCHER__|PIP_(?:USER|TARGET|PREFIX|ROOT|PYTHON|REQUIREMENT|EDITABLE|DRY_RUN|REQUIRE_VIRTUALENV|NO_BINARY)|UV_(?:PYTHON|PROJECT|PROJECT_ENVIRONMENT|WORKING_DIR|SYSTEM_PYTHON|BREAK_SYSTEM_PACKAGES|COMPILE_BYTECODE|NO_BINARY|NO_BINARY_PACKAGE|BUILD_CONSTRAINT))$/;
const PATIENCE_MS = 20_000;

/** The server's variables, less what would mislead an installer. Index settings, proxies and certificates are among them. */
export function installerVariables(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(own).filter(([name]) => !MISLEADING.test(name));
  return { ...Object.fromEntries(kept), PIP_USER: "0" };
}

/**
 * uv if it is there, else the pip of a Python; pip too if the operator has set an index for it and none for uv, which reads
 * no setting of pip's.
 *
 * @param isOurs whether no run can have written a program
 */
export function chooseInstaller(
  python: string,
  variables: NodeJS.ProcessEnv,
  isOurs: (program: string) => boolean,
): Installer {
  const uv = findUv(variables, isOurs);
  const pip = (why: string): Installer => ({ name: "pip", program: python, why });
  if (uv === undefined) return pip("there is no uv on PATH, in ~/.local/bin or in ~/.cargo/bin");
  if (hasIndexOfPipOnly(variables)) return pip(`an index is set for pip and none for ${uv}`);
  return { name: "uv", program: uv };
}

/** The commands that make an environment, in their order. Those after `install` may fail. */
export async function installCommands(
  installer: Installer,
  { python, folder, requirements, allowBuild }: Installation,
): Promise<{ create: string[]; install: string[]; compile: string[] | undefined }> {
  const own = join(folder, "bin", "python");
  if (installer.name === "uv") {
    const uv = [installer.program, "--color", "never", "--no-progress"];
    const wheels = allowBuild ? [] : ["--no-build"];
    return {
      create: [...uv, "venv", "--no-project", "--python", python, "--no-python-downloads", folder],
      install: [...uv, "pip", "install", "--python", own, ...wheels, "--", ...requirements],
      // By the base Python, not by uv, whose way starts the new environment's: there a package could run its own code.
      // Compiled now, since runs may not write there.
      compile: [python, "-I", "-m", "compileall", "-q", "-j", "0", join(folder, "lib")],
    };
  }
  const wheels = allowBuild ? [] : ["--only-binary", ":all:"];
  const install = [
    "install",
    "--no-input",
    "--disable-pip-version-check",
    "--no-color",
    "--progress-bar",
    "off",
    "--no-warn-script-location",
    ...wheels,
    "--",
    ...requirements,
  ];
  const create = [python, "-I", "-m", "venv"];
  return (await canInstallElsewhere(python))
    ? {
        create: [...create, "--without-pip", folder],
        install: [python, "-I", "-m", "pip", "--python", own, ...install],
        compile: undefined,
      }
    : {
        create: [...create, folder],
        install: [own, "-I", "-m", "pip", ...install],
        compile: undefined,
      };
}

/** Whether a Python's pip has `--python`, as it does since 22.3. A new environment without a pip of its own is made fast. */
function canInstallElsewhere(python: string): Promise<boolean> {
  const question = ["-I", "-m", "pip", "--version"];
  return new Promise((resolve) => {
    execFile(python, question, { timeout: PATIENCE_MS }, (error, stdout) => {
      const [, major = 0, minor = 0] = (/^pip (\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
      resolve(error === null && (major > 22 || (major === 22 && minor >= 3)));
    });
  });
}

function findUv(
  variables: NodeJS.ProcessEnv,
  isOurs: (program: string) => boolean,
): string | undefined {
  const home = variables["HOME"] ?? homedir();
  const folders = [
    ...(variables["PATH"] ?? "").split(delimiter),
    // where its own installer puts it, which hosts with a bare PATH don't look at
    join(home, ".local", "bin"),
    join(home, ".cargo", "bin"),
  ];
  return folders
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, "uv"))
    .find((program) => isProgram(program) && isOurs(program));
}

function hasIndexOfPipOnly(variables: NodeJS.ProcessEnv): boolean {
  const set = Object.keys(variables).filter((name) => variables[name] !== "");
  if (set.some((name) => INDEX_OF_UV.test(name))) return false;
  if (set.some((name) => INDEX_OF_PIP.test(name))) return true;
  const home = variables["HOME"] ?? homedir();
  const config = variables["XDG_CONFIG_HOME"] ?? join(home, ".config");
  if ([join(config, "uv", "uv.toml"), "/etc/uv/uv.toml"].some(isFile)) return false;
  const files = [
    variables["PIP_CONFIG_FILE"] ?? "",
    "/etc/pip.conf",
    "/etc/xdg/pip/pip.conf",
    join(config, "pip", "pip.conf"),
    join(home, ".pip", "pip.conf"),
    join(home, "Library", "Application Support", "pip", "pip.conf"),
  ];
  return files.some((file) =>
    /^\s*(?:index-url|extra-index-url|no-index|find-links|constraint|trusted-host)\s*[=:]/m.test(
      readIfThere(file),
    ),
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
