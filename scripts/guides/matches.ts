import { stripVTControlCharacters } from "node:util";

/**
 * Whether an output contains these lines, in this order and without others between them. `…` matches anything within a line; a line that is
 * only `…` matches any number of lines.
 */
export function matches(output: string, expected: string): boolean {
  const pattern = expected.trim().split("\n").map(toLinePattern).join("");
  const plain = stripVTControlCharacters(output).replaceAll("\r", "");
  return new RegExp(`^${pattern}`, "m").test(`${plain}\n`);
}

const toLinePattern = (line: string): string =>
  line.trim() === "…" ? "(?:.*\\n)*?" : `${line.trimEnd().split("…").map(escapeRegExp).join(".*?")}[ \\t]*\\n`;

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
