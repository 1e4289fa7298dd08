// @ts-check

/**
 * A snippet of a page, with what the page shows for it: up to the next heading, the pictures and the text that came back.
 *
 * @typedef {object} Entry
 * @property {string} title
 * @property {string} code
 * @property {string[]} pictures paths of files, from the page's folder, in the order of the displays that have one
 * @property {string | undefined} text the displays' texts, apart by an empty line
 */

const HEADING = /^## (.+)$/m;
const CODE = /^```python\n([^]*?)^```$/m;
const PICTURE = /^!\[[^\]]*\]\(([^)]+)\)$/gm;
const TEXT = /^```text\n([^]*?)^```$/m;

/**
 * @param {string} page
 * @returns {Entry[]} of each section that has a snippet
 */
export function entriesOf(page) {
  return sectionsOf(page).flatMap((section) => {
    const code = CODE.exec(section)?.[1];
    if (code === undefined) return [];
    return {
      title: HEADING.exec(section)?.[1] ?? "",
      code,
      pictures: Array.from(section.matchAll(PICTURE), ([, path = ""]) => path),
      text: TEXT.exec(section)?.[1]?.trimEnd(),
    };
  });
}

/**
 * The page with other texts where it shows some.
 *
 * @param {string} page
 * @param {ReadonlyMap<string, string>} texts by the title of their entry
 */
export function withTexts(page, texts) {
  return sectionsOf(page)
    .map((section) => {
      const text = texts.get(HEADING.exec(section)?.[1] ?? "");
      if (text === undefined) return section;
      return section.replace(TEXT, () => `\`\`\`text\n${text.trimEnd()}\n\`\`\``);
    })
    .join("");
}

/** @param {string} page */
function sectionsOf(page) {
  return page.split(/^(?=## )/m);
}
