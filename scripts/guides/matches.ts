import { stripVTControlCharacters } from "node:util";

/**
 * Whether the output contains the expected lines, in this order and with no other lines between them. `…` matches anything within a line. A
 * line that consists only of `…` matches any number of lines.
 */
export function matches(output: string, expected: string): boolean {
  const pattern = expected.trim().split("\n").map(toLinePattern).join("");
  const plainOutput = stripVTControlCharacters(output).replaceAll("\r", "");
  return new RegExp(`^${pattern}`, "m").test(`${plainOutput}\n`);
}

const toLinePattern = (line: string): string =>
  line.trim() === "…" ? "(?:.*\\n)*?" : `${line.trimEnd().split("…").map(escapeRegExp).join(".*?")}[ \\t]*\\n`;

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
