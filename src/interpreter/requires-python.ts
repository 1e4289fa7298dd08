import { PyExecutorError } from "../errors.ts";
import { clausesOf } from "./requirements.ts";

/**
 * Whether a Python is one that `requires-python` allows (PEP 440). Only releases are told apart: 3.15.0rc1 counts as 3.15.0.
 *
 * Throws `invalid_argument` for what is no list of versions.
 *
 * @param version such as `3.11.7`
 * @param place where the specifier stands, for the error: such as `code, line 2`
 */
export function allowsPython(specifier: string, version: string, place: string): boolean {
  if (specifier.trim() === "") return true;
  const clauses = clausesOf(specifier);
  if (clauses === undefined) {
    throw new PyExecutorError(
      "invalid_argument",
      `\`${place}\`: \`requires-python\` is ${JSON.stringify(specifier.slice(0, 100))}, which is no version. Write it as in ">=3.11".`,
      { argument: /^\w+(?:\[\d+\])?/.exec(place)?.[0] ?? place },
    );
  }
  const own = releaseOf(version);
  return clauses.every(({ operator, version: wanted }) => holds(own, operator, wanted));
}

function holds(own: readonly number[], operator: string, wanted: string): boolean {
  const release = releaseOf(wanted);
  const order = compare(own, release);
  switch (operator) {
    case "===":
    case "==":
      return wanted.endsWith(".*") ? startsWith(own, release) : order === 0;
    case "!=":
      return wanted.endsWith(".*") ? !startsWith(own, release) : order !== 0;
    case "~=": // at least this, and the same but for the last number
      return order >= 0 && startsWith(own, release.slice(0, -1));
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order < 0;
  }
}

/** The numbers at the beginning of a version. */
function releaseOf(version: string): number[] {
  return (/^v?(?:\d+!)?(\d+(?:\.\d+)*)/i.exec(version)?.[1] ?? "0").split(".").map(Number);
}

function startsWith(own: readonly number[], release: readonly number[]): boolean {
  return release.every((number, index) => (own[index] ?? 0) === number);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const length = Math.max(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
