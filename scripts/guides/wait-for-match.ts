// Waits until a program has printed the expected lines: node wait-for-match.ts output expected ended
// Exits with 1 if the file `ended` exists but the output lacks the lines.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { matches } from "./matches.ts";

const [output = "", expected = "", ended = ""] = process.argv.slice(2);
for (;;) {
  // Check this before reading the output, so that the output of an ended program is complete.
  const hasEnded = existsSync(ended);
  if (matches(readFileSync(output, "utf8"), readFileSync(expected, "utf8"))) break;
  if (hasEnded) process.exit(1);
  await sleep(100);
}
