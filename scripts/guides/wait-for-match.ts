// Waits until a program has printed the lines that it should: node wait-for-match.ts output expected ended
// Exits with 1 when the file `ended` is there, and they are not.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { matches } from "./matches.ts";

const [output = "", expected = "", ended = ""] = process.argv.slice(2);
for (;;) {
  // In this order: what was printed before the end is then all there is.
  const hasEnded = existsSync(ended);
  if (matches(readFileSync(output, "utf8"), readFileSync(expected, "utf8"))) break;
  if (hasEnded) process.exit(1);
  await sleep(100);
}
