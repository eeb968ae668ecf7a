import { stripVTControlCharacters } from "node:util";

/**
 * Whether an output has these lines in sequence. `…` matches anything within a line; a line that is only `…` matches any number of lines.
 */
export function matches(output: string, expected: string): boolean {
  const pattern = expected.trim().split("\n").map(linePattern).join("");
  const plain = stripVTControlCharacters(output).replaceAll("\r", "");
  return new RegExp(`^${pattern}`, "m").test(`${plain}\n`);
}

const linePattern = (line: string): string =>
  line.trim() === "…" ? "(?:.*\\n)*?" : `${line.trimEnd().split("…").map(escaped).join(".*?")}[ \\t]*\\n`;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
