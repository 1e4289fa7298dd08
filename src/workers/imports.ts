/**
 * An import statement at the start of a line or of a statement. What follows a repeated part begins with what that can't
 * match, so that the time for a megabyte of anything stays linear.
 */
const IMPORT =
  /(?:^|[;:])[ \t]*(?:import[ \t]+([\w.,][\w., \t]*)|from[ \t]+(\w+)(?:\.[\w.]*)?[ \t]+import\b)/gm;

/**
 * The top-level packages that a snippet names in its import statements. A look at the text, not a parse: what is
 * missed, or only looks like an import, costs time and nothing else.
 */
export function importedPackages(code: string): Set<string> {
  const packages = new Set<string>();
  if (!code.includes("import")) return packages;
  for (const [, list, from] of code.matchAll(IMPORT)) {
    for (const item of list?.split(",") ?? [from]) {
      const [name] = item?.trim().split(/[\s.]/, 1) ?? [];
      if (name !== undefined && name !== "") packages.add(name);
    }
  }
  return packages;
}
