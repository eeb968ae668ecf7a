import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** How values are received more leniently than a schema says; the packages import nothing of each other, so each has a copy. */
export const receivedFiles = ["date-time.ts", "received-values.ts"] as const;

export const printReceived = async (root: string, file: (typeof receivedFiles)[number]): Promise<string> =>
  `// Copied by tools/generate.ts from spec/received/${file}. Do not edit.\n\n${await readFile(join(root, "spec/received", file), "utf8")}`;
