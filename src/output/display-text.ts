import type { Shown } from "../workers/shown.ts";

/** The type of a chart's data. */
export const CHART = "application/vnd.py-executor.chart+json";
/** A chart's data is told up to this, so that a model that sees no pictures can answer (characters of JSON). */
const MAX_CHART_CHARS = 4000;
/** Parsers of some clients give up at 200 levels, and with them on the whole answer. */
const MAX_CHART_DEPTH = 10;
/** HTML up to this says more than the repr of what it is of. */
const MAX_HTML_CHARS = 2000;
/** A repr that only says what something is. */
const BARE_REPR = /^<[\w.]+(?: object)?(?: at 0x[0-9a-f]+)?>$/i;

/** What says most of something shown to a reader of text; undefined if there is no text of it. */
export function textOf({ data }: Shown): string | undefined {
  const text = (mimeType: string): string | undefined => data.get(mimeType)?.toString();
  const written = text("text/markdown") ?? text("text/latex");
  if (written !== undefined) return written;
  const plain = text("text/plain");
  if (plain !== undefined && !BARE_REPR.test(plain)) return plain;
  const html = text("text/html");
  const isShort = html !== undefined && html.length <= MAX_HTML_CHARS;
  return (isShort ? html : undefined) ?? text("application/json") ?? plain;
}

/** What a figure shows, as data, if that could be read off and is short. */
export function chartOf({ data }: Shown): unknown {
  const json = data.get(CHART)?.toString();
  if (json === undefined || json.length > MAX_CHART_CHARS) return undefined;
  try {
    const chart: unknown = JSON.parse(json);
    return isShallow(chart, MAX_CHART_DEPTH) ? chart : undefined;
  } catch {
    return undefined;
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isShallow(inner, levels - 1));
}
