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
const OFFICE = "application/vnd.openxmlformats-officedocument";
/** Files that data comes in and that `mrmime` doesn't know, by the end of their names (IANA's registry, where it has them). */
const TYPES = new Map(
  Object.entries({
    arrow: "application/vnd.apache.arrow.file",
    docx: `${OFFICE}.wordprocessingml.document`,
    feather: "application/vnd.apache.arrow.file",
    ipynb: "application/json",
    jsonl: "application/x-ndjson",
    ndjson: "application/x-ndjson",
    ods: "application/vnd.oasis.opendocument.spreadsheet",
    parquet: "application/vnd.apache.parquet",
    pptx: `${OFFICE}.presentationml.presentation`,
    pq: "application/vnd.apache.parquet",
    sqlite: "application/vnd.sqlite3",
    tar: "application/x-tar",
    xls: "application/vnd.ms-excel",
    xlsx: `${OFFICE}.spreadsheetml.sheet`,
  }),
);
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
  if (/\.(?:py|pyi|log|cfg|ini|rst|tex|r|sh|tsx?)$/i.test(path)) return "text/plain";
  const [, extension = ""] = /\.(\w+)$/.exec(path.toLowerCase()) ?? [];
  const known = TYPES.get(extension) ?? lookup(path);
  // it looks names up in an object, which has a `constructor` too
  return typeof known === "string" ? known : "application/octet-stream";
}

/** Whether the bytes are text, in UTF-8. */
export function isTextual(mimeType: string): boolean {
  return TEXTUAL.test(mimeType);
}
