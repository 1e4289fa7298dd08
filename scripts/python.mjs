// @ts-check
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root, run } from "./process.mjs";

const venv = join(root, ".cache", "venv");
const olderClientVenv = join(root, ".cache", "venv-mcp1");
const librariesVenv = join(root, ".cache", "venv-libraries");
const windows = process.platform === "win32";

/** The tests' own interpreter; it exists once `prepareVenv` has run. */
export const venvPython = pythonIn(venv);
/** The interpreter with the libraries whose values are shown; it exists once `prepareLibraries` has run. */
export const librariesPython = pythonIn(librariesVenv);

const candidates = [["python3"], ["python"], ...(windows ? [["py", "-3"]] : [])];

/**
 * Makes .cache/venv with the pinned packages, or does nothing if it has them already.
 *
 * @param {{ science: boolean }} options `science` adds numpy, pandas and matplotlib
 */
export async function prepareVenv({ science }) {
  const base = stampedFile(venv, "requirements.txt");
  const extra = stampedFile(venv, "requirements-science.txt");
  if (!existsSync(venvPython) || !base.done()) {
    await createVenv(venv, await findPython());
    await install(base);
  }
  if (science && !extra.done()) await install(extra);
}

/**
 * Makes .cache/venv-mcp1, with the older generation of the MCP client, which can't be in one environment with the
 * current one. Needs the tests' own interpreter, in a version that the client supports.
 *
 * @returns {Promise<string>} its interpreter
 */
export async function prepareOlderClient() {
  const requirements = stampedFile(olderClientVenv, "requirements-mcp1.txt");
  const python = pythonIn(olderClientVenv);
  if (!existsSync(python) || !requirements.done()) {
    await createVenv(olderClientVenv, [venvPython]);
    await install(requirements);
  }
  return python;
}

/**
 * Makes .cache/venv-libraries, with the libraries whose values are shown in tests. They are apart from the tests' own
 * packages, so that neither asks for other versions of the other's.
 *
 * @returns {Promise<string>} its interpreter
 */
export async function prepareLibraries() {
  const requirements = stampedFile(librariesVenv, "requirements-libraries.txt");
  if (!existsSync(librariesPython) || !requirements.done()) {
    await createVenv(librariesVenv, [venvPython]);
    await install(requirements);
  }
  return librariesPython;
}

/** @param {string} folder that of a virtual environment */
function pythonIn(folder) {
  return join(folder, ...(windows ? ["Scripts", "python.exe"] : ["bin", "python"]));
}

/**
 * A requirements file with a note, inside the environment, of which version of it was installed.
 *
 * @param {string} folder that of the environment
 * @param {string} name
 */
function stampedFile(folder, name) {
  const file = join(root, "test", "python", name);
  const stamp = join(folder, `installed-${name}`);
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
  return {
    file,
    python: pythonIn(folder),
    done: () => existsSync(stamp) && readFileSync(stamp, "utf8") === digest,
    markDone: () => writeFileSync(stamp, digest),
  };
}

/** @param {ReturnType<typeof stampedFile>} requirements */
async function install(requirements) {
  console.error(`prepare: installing ${requirements.file.slice(root.length)}`);
  const pip = [
    requirements.python,
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
  ];
  const { ok, how, output } = await run([...pip, "-r", requirements.file], { capture: true });
  if (!ok) throw new Error(`pip could not install ${requirements.file} (${how}):\n${output}`);
  requirements.markDone();
}

/** @returns {Promise<string[]>} the command of the first Python that is new enough */
async function findPython() {
  for (const python of candidates) {
    const probe = "import sys; sys.exit(sys.version_info < (3, 9))";
    if ((await run([...python, "-c", probe], { capture: true })).ok) return python;
  }
  const tried = candidates.map((python) => python.join(" ")).join(", ");
  throw new Error(
    `Python 3.9 or newer is missing (tried: ${tried}). Install it and run this again.`,
  );
}

/**
 * @param {string} folder
 * @param {string[]} python
 */
async function createVenv(folder, python) {
  console.error(`prepare: making ${folder.slice(root.length)}`);
  const make = () => {
    rmSync(folder, { recursive: true, force: true });
    return run([...python, "-m", "venv", folder], { capture: true });
  };
  let made = await make();
  if (!made.ok && (await installDebianVenv(made.output))) made = await make();
  if (!made.ok) {
    throw new Error(
      `${python.join(" ")} could not make a virtual environment (${made.how}):\n${made.output}` +
        "On Debian and Ubuntu this needs the package python3-venv.",
    );
  }
}

/**
 * Debian ships Python without the module that puts pip into an environment; as root we can add it.
 *
 * @param {string} complaint what `python -m venv` printed
 * @returns {Promise<boolean>} whether it is worth another try
 */
async function installDebianVenv(complaint) {
  if (!complaint.includes("ensurepip") || process.getuid?.() !== 0) return false;
  console.error("prepare: installing Debian's python3-venv");
  const aptGet = ["apt-get", "install", "-y", "--no-install-recommends", "python3-venv"];
  const quiet = { capture: true, env: { DEBIAN_FRONTEND: "noninteractive" } };
  if ((await run(aptGet, quiet)).ok) return true;
  // A new machine often has no package lists yet.
  await run(["apt-get", "update"], quiet);
  return (await run(aptGet, quiet)).ok;
}
