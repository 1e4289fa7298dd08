import { PyExecutorError } from "../errors.ts";
import { normalizeName, parseRequirements, type Requirement } from "./requirements.ts";
import { readScriptMetadata } from "./script-metadata.ts";

/** Which packages callers may ask for. */
export interface PackagePolicy {
  /** `listed`: those of `listed` only, with whatever they depend on. */
  mode: "any" | "listed" | "none";
  listed: readonly string[];
}

/** What a snippet needs: checked, and allowed. */
export interface PackageWish {
  requirements: readonly Requirement[];
  requiresPython: { specifier: string; place: string } | undefined;
  notes: readonly string[];
}

/** The policy that settings mean: a list alone allows what is on it. */
export function packagePolicyOf(settings: {
  packages?: PackagePolicy["mode"] | undefined;
  packageList: readonly string[];
}): PackagePolicy {
  const listed = settings.packageList.map(normalizeName);
  return { mode: settings.packages ?? (listed.length > 0 ? "listed" : "any"), listed };
}

/**
 * The packages that a snippet asks for, by its metadata block and by the argument `packages`; undefined if by neither.
 *
 * Throws `invalid_argument` for what can't be understood and `packages_refused` for what the operator doesn't allow. Where
 * callers may ask for none, a metadata block stays what it is to Python: a comment.
 *
 * @param argument what the snippet is called in errors
 */
export async function readPackageWish(
  {
    code,
    argument,
    packages,
  }: { code: string; argument: string; packages?: readonly string[] | undefined },
  policy: PackagePolicy,
): Promise<PackageWish | undefined> {
  const metadata = await readScriptMetadata(code, argument);
  const dependencies = metadata?.dependencies ?? [];
  if (policy.mode === "none" && dependencies.length > 0 && !packages?.length) {
    const note =
      "The packages in the snippet's `# /// script` block were not installed: the operator doesn't allow it " +
      "(`--packages none`). It ran with what is there.";
    return { requirements: [], requiresPython: undefined, notes: [note] };
  }
  const placeInCode = (index: number): string =>
    `${argument}, line ${metadata?.lineOf(dependencies[index] ?? "")}`;
  const fromCode = parseRequirements(dependencies, placeInCode);
  const requirements = parseRequirements(
    [...parseRequirements(packages ?? []), ...fromCode].map(({ text }) => text),
  );
  const specifier = metadata?.requiresPython;
  if (requirements.length === 0 && specifier === undefined) return undefined;
  refuseOthers(requirements, policy, packages?.length ? "packages" : argument);
  return {
    requirements,
    requiresPython:
      specifier === undefined
        ? undefined
        : { specifier, place: `${argument}, line ${metadata?.lineOf("requires-python")}` },
    notes: [],
  };
}

function refuseOthers(
  requirements: readonly Requirement[],
  { mode, listed }: PackagePolicy,
  argument: string,
): void {
  if (mode === "any" || requirements.length === 0) return;
  const refuse = (problem: string): PyExecutorError =>
    new PyExecutorError("packages_refused", problem, { argument });
  if (mode === "none") {
    throw refuse(
      "Packages can't be asked for: the operator doesn't allow it (`--packages none`). Use what is installed.",
    );
  }
  const others = requirements.filter(({ name }) => !listed.includes(name));
  if (others.length === 0) return;
  throw refuse(
    `The operator doesn't allow ${others.map(({ name }) => name).join(", ")}. ` +
      `These may be asked for: ${listed.join(", ") || "none"} (\`--package-list\`).`,
  );
}
