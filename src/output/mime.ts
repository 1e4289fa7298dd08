import { lookup } from "mrmime";

/** What files are called that hold a representation of a value, by MIME type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/pdf": "pdf",
  "application/vnd.apache.parquet": "parquet",
  "application/vnd.plotly.v1+json": "plotly.json",
  "application/vnd.py-executor.chart+json": "chart.json",
  "image/gif": "gif",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/svg+xml": "svg",
  "image/webp": "webp",
  "text/csv": "csv",
  "text/html": "html",
  "text/latex": "tex",
  "text/markdown": "md",
  "text/plain": "txt",
};
const TEXTUAL =
  /^text\/|^application\/(?:.*\+)?(?:json|xml|javascript|x-ndjson|toml|yaml|sql)$|\+xml$/;

/** The end of a file's name, without the dot. */
export function extensionOf(mimeType: string): string {
  const known = EXTENSIONS[mimeType];
  if (known !== undefined) return known;
  return mimeType.endsWith("+json") ? "json" : mimeType.startsWith("text/") ? "txt" : "bin";
}

/** The MIME type that a file's name stands for. */
export function mimeTypeOf(path: string): string {
  if (/\.(?:parquet|pq)$/i.test(path)) return "application/vnd.apache.parquet";
  if (/\.(?:py|pyi|log|cfg|ini|rst|tex|r|sh)$/i.test(path)) return "text/plain";
  if (/\.ipynb$/i.test(path)) return "application/json";
  return lookup(path) ?? "application/octet-stream";
}

/** Whether the bytes are text, in UTF-8. */
export function isTextual(mimeType: string): boolean {
  return TEXTUAL.test(mimeType);
}
