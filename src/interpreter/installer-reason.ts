const MAX_TOLD_LINES = 12;
const MAX_TOLD_CHARS = 2000;
/**
 * Where an installer begins to say what is wrong. pip does so on both of its streams, which may arrive in any order: its
 * errors on the one, what stands in conflict on the other.
 */
const BEGINNING = /^(?:error\b|\s*[×x] |The conflict is caused by:)/i;

/** What the lines of an installation that has failed say of the reason; their end, if none begins to. */
export function reasonIn(lines: readonly string[]): string {
  const first = lines.findIndex((line) => BEGINNING.test(line));
  const told = first === -1 ? lines.slice(-MAX_TOLD_LINES) : lines.slice(first);
  return told.slice(0, MAX_TOLD_LINES).join("\n").slice(0, MAX_TOLD_CHARS);
}
