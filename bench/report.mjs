// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { join } from "node:path";

/**
 * @typedef {import("./measure.mjs").Figures} Figures
 * @typedef {{
 *   name: string, about: string, unit: "ms" | "MB", ratio: number, ours: Figures, baseline: Figures,
 * } | { name: string, about: string, skipped: string }} Result
 * @typedef {{
 *   date: string, command: string, machine: string, node: string, python: string,
 * }} Setting
 */

const COLUMNS = ["workload", "calls", "py-executor", "p95", "plain", "p95", "ratio"];
const FIRST_WIDTH = 16;
const WIDTH = 12;

/**
 * What a reader needs to judge the figures, or to measure anew.
 *
 * @param {string[]} args those of the command line
 * @param {string} python versions of the Python that ran the snippets and the plain server, and of its `mcp`
 * @returns {Setting}
 */
export function describeSetting(args, python) {
  const machine = [
    `${availableParallelism()} cores`,
    cpus()[0]?.model.trim() ?? "unknown CPU",
    `${process.platform} ${release()}`,
    // What else goes on makes all times longer, though both servers' alike.
    `load ${loadavg()[0]?.toFixed(1)} at the start`,
  ];
  const dashes = args.length === 0 ? [] : ["--"];
  return {
    date: new Date().toISOString().slice(0, "2000-01-01".length),
    command: ["npm run bench", ...dashes, ...args].join(" "),
    machine: machine.join(", "),
    node: process.version,
    python,
  };
}

/** @param {Setting} setting */
export function printHead(setting) {
  for (const [name, value] of Object.entries(setting)) console.log(`${name.padEnd(8)} ${value}`);
  console.log(`\n${textRow(COLUMNS)}`);
}

/** @param {Result} result */
export function printResult(result) {
  console.log(textRow(cells(result)));
}

/**
 * Keeps the results: all samples as JSON under the day's name, and a table to read.
 *
 * @param {string} folder
 * @param {Setting} setting
 * @param {readonly Result[]} results
 */
export function save(folder, setting, results) {
  mkdirSync(folder, { recursive: true });
  const json = JSON.stringify({ ...setting, results: results.map(rounded) }, undefined, 2);
  writeFileSync(join(folder, `${setting.date}.json`), `${json}\n`);
  writeFileSync(join(folder, "latest.md"), markdown(setting, results));
}

/**
 * @param {Setting} setting
 * @param {readonly Result[]} results
 */
function markdown({ date, command, machine, node, python }, results) {
  const table = [COLUMNS, COLUMNS.map((_, index) => (index === 0 ? "---" : "--:"))]
    .concat(results.map(cells))
    .map((row) => `| ${row.join(" | ")} |`);
  const legend = results.map(({ name, about }) => `- \`${name}\`: ${about}`);
  return `# py-executor and a plain server, measured in turn

\`${command}\` · ${date} · Node ${node} · Python ${python}
${machine}

${table.join("\n")}

Times are from the client's request to its answer, medians and 95th percentiles of calls that alternate between both
servers. *plain* is \`bench/baseline_server.py\`, which runs \`python -u file\` afresh for each snippet. *ratio* says how
many times faster, or smaller, py-executor is. Every answer is checked.

${legend.join("\n")}
`;
}

/**
 * @param {Result} result
 * @returns {string[]}
 */
function cells(result) {
  if ("skipped" in result) return [result.name, `skipped: ${result.skipped}`];
  const { name, unit, ratio, ours, baseline } = result;
  const figures = [ours.median, ours.p95, baseline.median, baseline.p95];
  const written = figures.map((value) => `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`);
  return [name, String(ours.samples.length), ...written, `${ratio.toFixed(2)}×`];
}

/** @param {readonly string[]} row */
function textRow([first = "", ...others]) {
  return first.padEnd(FIRST_WIDTH) + others.map((cell) => cell.padStart(WIDTH)).join("");
}

/**
 * Samples to the hundredth: more digits are noise.
 *
 * @param {Result} result
 */
function rounded(result) {
  const hundredths = (/** @type {number} */ value) => Math.round(value * 100) / 100;
  const roundAll = (/** @type {Figures} */ { median, p95, samples }) => ({
    median: hundredths(median),
    p95: hundredths(p95),
    samples: samples.map(hundredths).join(" "),
  });
  if ("skipped" in result) return result;
  const { ours, baseline, ratio } = result;
  return {
    ...result,
    ratio: hundredths(ratio),
    ours: roundAll(ours),
    baseline: roundAll(baseline),
  };
}
