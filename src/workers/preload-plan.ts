type Place = "chain" | "end" | "side" | "standard" | "standard on demand";

/**
 * Packages that are known to survive a fork after they were imported, and where their template hangs.
 *
 * `chain`: heavy ones, each in a template of its own that is forked from the one before, in this order. `end`: what
 * builds on those. `side`: light ones that need none of them. `standard`: modules of the standard library that take some
 * milliseconds to import, and would make each fork of the first template dearer.
 */
const FORK_SAFE: ReadonlyMap<string, Place> = new Map<string, Place>([
  ...each<Place>("chain", "numpy pandas matplotlib"),
  ...each<Place>("end", "scipy sklearn seaborn statsmodels sympy networkx skimage"),
  ...each<Place>(
    "standard",
    "argparse concurrent csv dataclasses decimal fractions glob hashlib hmac html inspect logging pathlib pickle pprint " +
      "secrets shutil signal socket statistics string subprocess tempfile textwrap threading traceback typing uuid zipfile",
  ),
  // large ones, in that template only where they are used
  ...each<Place>("standard on demand", "asyncio email http sqlite3 ssl unittest urllib xml"),
  ...each<Place>(
    "side",
    "PIL requests urllib3 httpx bs4 lxml yaml openpyxl pydantic jinja2 dateutil pytz tqdm rich attr click",
  ),
]);
/** What a package imports in any case. */
const IMPLIED: ReadonlyMap<string, string> = new Map(each("numpy", "pandas matplotlib"));

/** A template to be: what it has imported in all, and what it is forked from. */
export interface PlannedTemplate {
  modules: readonly string[];
  /** The modules that it imports itself. */
  own: readonly string[];
  /** The template that it is forked from, by its modules. */
  parent: readonly string[];
}

/** Modules of the standard library that are worth a template of their own. */
export function standardModules(imports: Iterable<string>): string[] {
  return [...imports].filter((name) => FORK_SAFE.get(name)?.startsWith("standard"));
}

/** Whether a package may be imported into a template without being asked for. */
export function isForkSafe(name: string): boolean {
  return FORK_SAFE.has(name);
}

/**
 * The templates that serve snippets with some imports, parents first. The first template, with nothing of these, is not
 * among them.
 *
 * @param learned packages that snippets have imported; those that are not known to survive a fork are passed over
 * @param named packages that the operator wants preloaded, whatever is known of them
 */
export function planTemplates(
  learned: Iterable<string>,
  named: readonly string[],
): PlannedTemplate[] {
  const wanted = new Set([...learned].filter(isForkSafe));
  for (const name of [...wanted, ...named]) {
    const implied = IMPLIED.get(name);
    if (implied !== undefined) wanted.add(implied);
  }
  const kinds = (kind: Place): string[] =>
    [...FORK_SAFE].filter(([name, its]) => its === kind && wanted.has(name)).map(([name]) => name);
  const plan: PlannedTemplate[] = [];
  const grow = (parent: readonly string[], own: readonly string[]): readonly string[] => {
    const fresh = own.filter((name) => !parent.includes(name));
    if (fresh.length === 0) return parent;
    const modules = [...parent, ...fresh];
    plan.push({ modules, own: fresh, parent });
    return modules;
  };
  const onDemand = kinds("standard on demand");
  const standard = [...allOf("standard"), ...onDemand];
  if (kinds("standard").length + onDemand.length > 0) grow([], standard);
  const side = kinds("side");
  if (side.length > 0) grow([], [...standard, ...side]);
  const heavy = kinds("chain").reduce<readonly string[]>(
    (parent, name) => grow(parent, [name]),
    [],
  );
  grow(heavy, [...kinds("end"), ...named]);
  return plan;
}

/**
 * The template to fork for some imports: the one that has most of them, and of those the one with least besides.
 *
 * @param templates what there is, by modules; the first template has none
 */
export function chooseTemplate<T extends { modules: readonly string[] }>(
  templates: readonly T[],
  imports: ReadonlySet<string>,
): T | undefined {
  let best: T | undefined;
  let [most, least] = [-1, 0];
  for (const template of templates) {
    const useful = template.modules.filter((name) =>
      imports.has(name.split(".", 1)[0] ?? name),
    ).length;
    const size = template.modules.length;
    if (useful > most || (useful === most && size < least))
      [best, most, least] = [template, useful, size];
  }
  return best;
}

function allOf(place: Place): string[] {
  return [...FORK_SAFE].filter(([, its]) => its === place).map(([name]) => name);
}

function each<Value>(value: Value, names: string): [string, Value][] {
  return names.split(" ").map((name) => [name, value]);
}
