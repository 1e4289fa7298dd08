import type { Settings } from "../config.ts";
import { PyExecutorError } from "../errors.ts";
import { BasePythons } from "./base-python.ts";
import type { InterpreterFinder } from "./discover.ts";
import { chooseInstaller, installerVariables, type Installer } from "./installer.ts";
import { PackageEnvironments, type ProvidedPackages } from "./package-environments.ts";
import { PackageStore } from "./package-store.ts";
import { packagePolicyOf, readPackageWish, type PackagePolicy } from "./package-wish.ts";

export interface PackagesOptions {
  settings: Settings;
  /** Where environments are kept: in the user's cache folder. */
  folder: string;
  /** Folders that contained runs may write in; none where nothing contains them. */
  writable: readonly string[];
  interpreters: InterpreterFinder;
}

/** Snippets of one request. */
export interface PackageRequest {
  snippets: readonly { code: string; argument: string }[];
  /** What the argument `packages` asks for, for all of them. */
  packages: readonly string[] | undefined;
  cwd: string;
}

/** How packages are had here. */
export interface PackageReport {
  policy: PackagePolicy;
  installer: Installer;
  /** Where environments are kept, how many there are, and what they take and may take in all, in bytes. */
  kept: { folder: string; environments: number; bytes: number; maxBytes: number };
  /** Whether code may write there, and nothing can be installed for that. */
  isFolderWritable: boolean;
}

export interface PackageWaitOptions {
  /** Aborting ends the waiting. */
  signal: AbortSignal;
  /** Told once that nothing speaks against the request, before what may take long. */
  onAccepted: () => void;
  /** Told what the installer says. */
  onLine?: ((line: string) => void) | undefined;
}

/** The packages that callers ask for, by argument or in the code. */
export class Packages {
  readonly policy: PackagePolicy;
  readonly #options: PackagesOptions;
  readonly #basePythons: BasePythons;
  readonly #environments: PackageEnvironments;

  constructor(options: PackagesOptions) {
    const { settings, folder, writable, interpreters } = options;
    this.#options = options;
    this.policy = packagePolicyOf(settings);
    this.#basePythons = new BasePythons(writable, interpreters.findDefault);
    this.#environments = new PackageEnvironments({
      folder,
      basePythons: this.#basePythons,
      variables: process.env,
      allowBuild: settings.allowBuild,
      installTimeout: settings.installTimeout,
      maxSpace: settings.maxPackageSpace,
    });
  }

  /**
   * What each snippet is to run with; undefined for those that ask for nothing. All is checked before anything is
   * installed, and if one can't be had nothing is.
   *
   * Throws what `readPackageWish` and {@link PackageEnvironments.provide} throw, and the signal's reason.
   */
  async provide(
    { snippets, packages, cwd }: PackageRequest,
    { signal, onAccepted, onLine }: PackageWaitOptions,
  ): Promise<(ProvidedPackages | undefined)[]> {
    const wishes = await Promise.all(
      snippets.map((snippet) => readPackageWish({ ...snippet, packages }, this.policy)),
    );
    if (wishes.every((wish) => wish === undefined)) return wishes.map(() => undefined);
    this.#refuseWritableFolder();
    const interpreter = await this.#options.interpreters.find(cwd);
    onAccepted();
    const outcomes = await Promise.allSettled(
      wishes.map(
        async (wish) => wish && this.#environments.provide(wish, interpreter, { signal, onLine }),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    const provided = outcomes.map((one) => (one.status === "fulfilled" ? one.value : undefined));
    if (failed === undefined) return provided;
    for (const one of provided) one?.release();
    throw failed.reason;
  }

  /** How packages would be had for code in a folder. Throws `interpreter_missing` or `interpreter_unusable`. */
  async describe(cwd: string): Promise<PackageReport> {
    const { folder, settings, interpreters } = this.#options;
    const { python } = await this.#basePythons.behind(await interpreters.find(cwd));
    const isOurs = (program: string): boolean => this.#basePythons.isOurs(program);
    const maxBytes = settings.maxPackageSpace;
    return {
      policy: this.policy,
      installer: chooseInstaller(python, installerVariables(process.env), isOurs),
      kept: { folder, maxBytes, ...new PackageStore(folder, maxBytes).usage() },
      isFolderWritable: !isOurs(folder),
    };
  }

  /** Ends all installations. May be called more than once. */
  async close(): Promise<void> {
    await this.#environments.close();
  }

  /** What is installed outside of containment must not lie where contained code could change it. */
  #refuseWritableFolder(): void {
    const { folder } = this.#options;
    if (this.#basePythons.isOurs(folder)) return;
    throw new PyExecutorError(
      "packages_failed",
      `Nothing can be installed: packages are kept in ${folder}, where code may write. ` +
        "Have the server started with a workspace that doesn't hold your cache folder, or with another XDG_CACHE_HOME.",
      { argument: "packages" },
    );
  }
}
