import { PyExecutorError } from "../errors.ts";

/** A package that is asked for. */
export interface Requirement {
  /** Its name as indexes compare names: lower case, with hyphens (PEP 503). */
  name: string;
  /** The whole requirement in one way of writing, such as `polars[numpy]<2,>=1`. */
  text: string;
}

/** Packages that one run may ask for; their own dependencies come on top. */
const MAX_REQUIREMENTS = 50;
const MAX_REQUIREMENT_CHARS = 300;

const NAME = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?![a-z0-9._-])/i;
const EXTRAS = /^\[([^\]]*)\]/;
/** PEP 440, appendix B, and `.*` behind a release. */
const VERSION =
  /^v?(?:\d+!)?\d+(?:\.\d+)*(?:\.\*|(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?)$/i;
const CLAUSE = /^(~=|===|==|!=|<=|>=|<|>)\s*(\S+)$/;
/** What a marker is made of (PEP 508); whether it makes sense is for the installer to say. */
const MARKER_WORD =
  /^(?:\s+|[()]|===|[<>!=~]=|[<>]|"[^"\\]*"|'[^'\\]*'|(?:and|or|in|not|python_version|python_full_version|os_name|sys_platform|platform_release|platform_system|platform_version|platform_machine|platform_python_implementation|implementation_name|implementation_version|extra)(?![\w.]))/;

/** What a caller may mean by something that is no package of an index, and what to say to it. */
const REFUSED: readonly [RegExp, string][] = [
  [/^-/, "is an option of an installer; those are the operator's to set"],
  [/(?:^|@\s*)(?:git|hg|svn|bzr)\+/i, "names a repository"],
  [/^[a-z][a-z0-9+.-]*:\/\/|@\s*\S*:/i, "names an address"],
  [/^[./~\\]|^[a-z]:[\\/]|^[^;<>=!~]*[/\\]/i, "names a path"],
];

/**
 * Checks packages that were asked for, and brings them into one way of writing, sorted and each once, so that equal wishes
 * look equal.
 *
 * Takes names with extras, versions and markers, as PEP 508 has them. What would make the installer read anything but an
 * index is refused: options, addresses, paths, repositories.
 *
 * @param places what each of them is called in errors, such as `packages[2]`
 */
export function parseRequirements(
  wanted: readonly string[],
  placeOf: (index: number) => string = (index) => `packages[${index}]`,
): Requirement[] {
  if (wanted.length > MAX_REQUIREMENTS) {
    throw new PyExecutorError(
      "limit_exceeded",
      `${wanted.length} packages are asked for, the limit is ${MAX_REQUIREMENTS}. ` +
        "Leave out those that others bring along as their dependencies.",
      { argument: argumentOf(placeOf(0)) },
    );
  }
  const byText = new Map<string, Requirement>();
  for (const [index, entry] of wanted.entries()) {
    const requirement = parseRequirement(entry, placeOf(index));
    byText.set(requirement.text, requirement);
  }
  return [...byText.values()].toSorted((one, other) => (one.text < other.text ? -1 : 1));
}

/** The name of a package as indexes compare it (PEP 503). */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/** Whether a text is a list of version clauses such as `>=3.11,<4` (PEP 440). */
export function clausesOf(text: string): { operator: string; version: string }[] | undefined {
  const clauses = text.split(",").map((clause) => clause.trim());
  if (clauses.at(-1) === "") clauses.pop(); // a comma at the end is allowed
  const parsed = clauses.map((clause) => {
    const [, operator = "", version = ""] = CLAUSE.exec(clause) ?? [];
    return { operator, version };
  });
  return parsed.every(isClause) ? parsed : undefined;
}

function isClause({ operator, version }: { operator: string; version: string }): boolean {
  if (operator === "===") return /^[\w.+!-]+$/.test(version);
  if (!VERSION.test(version)) return false;
  return !version.endsWith(".*") || operator === "==" || operator === "!=";
}

function parseRequirement(entry: string, place: string): Requirement {
  const fail = (problem: string): PyExecutorError =>
    new PyExecutorError(
      "invalid_argument",
      `\`${place}\`${problem}. Name a package as in "polars>=1" or "httpx[http2]==0.28.*".`,
      { argument: argumentOf(place) },
    );
  if (entry.length > MAX_REQUIREMENT_CHARS) {
    const size = `${entry.length} characters long`;
    throw fail(` is ${size}, the limit is ${MAX_REQUIREMENT_CHARS}`);
  }
  const shown = JSON.stringify(entry);
  const text = entry.trim();
  if (text === "") throw fail(" is empty");
  // oxlint-disable-next-line no-control-regex -- such characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) throw fail(`, ${shown}, holds a control character`);
  const refused = REFUSED.find(([pattern]) => pattern.test(text));
  if (refused !== undefined) {
    throw fail(`, ${shown}, ${refused[1]}, and only packages of the index are installed`);
  }
  const [wish = "", ...markers] = text.split(";");
  const name = NAME.exec(wish)?.[0];
  if (name === undefined) throw fail(`, ${shown}, does not begin with the name of a package`);
  const behindName = wish.slice(name.length).trim();
  const [listed = "", inBrackets = ""] = EXTRAS.exec(behindName) ?? [];
  const extras = listed === "" ? [] : parseExtras(inBrackets);
  if (extras === undefined) throw fail(`, ${shown}, has extras that are no names`);
  const specifier = parseSpecifier(behindName.slice(listed.length).trim());
  if (specifier === undefined) {
    throw fail(
      `, ${shown}, has no version that can be understood (${/^=[^=]/.test(behindName) ? "one version is written with ==" : "such as ==1.2, >=1 or >=1,<2"})`,
    );
  }
  const marker = markers.join(";").trim();
  if ((markers.length > 0 && marker === "") || !isMarker(marker)) {
    throw fail(`, ${shown}, has a condition behind the ; that can't be understood`);
  }
  const normalized = normalizeName(name);
  const condition = marker === "" ? "" : ` ; ${marker.replace(/\s+/g, " ")}`;
  const bracketed = extras.length > 0 ? `[${extras.join(",")}]` : "";
  return { name: normalized, text: `${normalized}${bracketed}${specifier}${condition}` };
}

function parseExtras(inBrackets: string): string[] | undefined {
  const extras = inBrackets.split(",").map((extra) => extra.trim());
  if (extras.length === 1 && extras[0] === "") return [];
  if (!extras.every((extra) => NAME.exec(extra)?.[0] === extra)) return undefined;
  return [...new Set(extras.map(normalizeName))].toSorted();
}

function parseSpecifier(text: string): string | undefined {
  const inside = /^\((.*)\)$/.exec(text)?.[1]?.trim() ?? text;
  if (inside === "") return "";
  const clauses = clausesOf(inside);
  const texts = clauses?.map(({ operator, version }) => `${operator}${version.toLowerCase()}`);
  return texts === undefined ? undefined : [...new Set(texts)].toSorted().join(",");
}

function isMarker(text: string): boolean {
  for (let rest = text; rest !== "";) {
    const word = MARKER_WORD.exec(rest)?.[0];
    if (word === undefined) return false;
    rest = rest.slice(word.length);
  }
  return true;
}

/** The argument that a place is in: `packages` for `packages[2]`. */
function argumentOf(place: string): string {
  return /^[a-z_]+(?:\[\d+\](?=,))?/.exec(place)?.[0] ?? place;
}
