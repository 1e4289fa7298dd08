/**
 * Python source as a template: the indentation that all lines share is taken away, and backslashes stay as they are.
 *
 * @example python`
 *   import os
 *   print(${literal(path)})
 * `
 */
export function python(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  const text = String.raw(parts, ...values).replace(/^\n/, "");
  const lines = text.split("\n");
  const indents = lines
    .filter((line) => line.trim() !== "")
    .map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return lines.map((line) => line.slice(shared)).join("\n");
}

/** A text as a Python string literal: what JSON escapes, Python understands. */
export function literal(text: string): string {
  return JSON.stringify(text);
}
