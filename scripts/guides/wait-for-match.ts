// Waits until a program has printed the expected lines: node wait-for-match.ts output expected ended
// Exits with 1 if the file `ended` exists and the lines do not.
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { matches } from "./matches.ts";

const [output = "", expected = "", ended = ""] = process.argv.slice(2);
for (;;) {
  // In this order, so that everything that was printed before the end is there.
  const hasEnded = existsSync(ended);
  if (matches(readFileSync(output, "utf8"), readFileSync(expected, "utf8"))) break;
  if (hasEnded) process.exit(1);
  await sleep(100);
}
