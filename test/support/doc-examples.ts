/** A fenced block of a Markdown page. */
export interface Example {
  /** Where it begins, such as `README.md:12`. */
  readonly place: string;
  /** The word after the fence; empty if there is none. */
  readonly language: string;
  readonly code: string;
  /** Why it is not to be run: what a comment `<!-- no-test: … -->` right before it says. */
  readonly exemption: string | undefined;
}

interface OpenBlock {
  readonly place: string;
  readonly language: string;
  readonly exemption: string | undefined;
  /** What stands before each of its lines, in a list for example. */
  readonly indent: string;
  readonly fence: string;
  readonly lines: string[];
}

const FENCE = /^(\s*)(`{3,})\s*(\S*)/;
const EXEMPTION = /^\s*<!-- no-test: (.+?) -->\s*$/;

/** All fenced blocks of a page, in order. Throws if one has no end. */
export function findExamples(file: string, page: string): Example[] {
  const examples: Example[] = [];
  let block: OpenBlock | undefined;
  let exemption: string | undefined;
  for (const [index, line] of page.split("\n").entries()) {
    if (block === undefined) {
      block = openBlock(line, `${file}:${index + 1}`, exemption);
      if (block !== undefined) exemption = undefined;
      else if (line.trim() !== "") exemption = EXEMPTION.exec(line)?.[1];
    } else if (line.trim() === block.fence) {
      const { place, language, lines, exemption: reason } = block;
      examples.push({ place, language, code: `${lines.join("\n")}\n`, exemption: reason });
      block = undefined;
    } else {
      block.lines.push(line.startsWith(block.indent) ? line.slice(block.indent.length) : line);
    }
  }
  if (block !== undefined) throw new Error(`The block at ${block.place} has no end.`);
  return examples;
}

function openBlock(
  line: string,
  place: string,
  exemption: string | undefined,
): OpenBlock | undefined {
  const match = FENCE.exec(line);
  if (match === null) return undefined;
  const [, indent = "", fence = "", language = ""] = match;
  return { place, language, exemption, indent, fence, lines: [] };
}
