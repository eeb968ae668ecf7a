// Counts phrases that are translated rather than idiomatic English. Fails if a count exceeds its limit. If a count falls, lower its limit.
//   node scripts/idioms.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Each phrase, its replacements, and how many uses are allowed because they are correct. */
const idioms = [
  [/\bbeside\b/gi, "next to, with, in addition to, while … is running", 5],
  [/\bof (?:its|your|their|our|one's) own\b/gi, "its own, your own, separate", 1],
  [/\b(?:a|one|any|no|each|every|the same|other|empty|as) texts?\b(?! (?:file|area|block|editor))/gi, "string", 5],
  [/\b(?:is|are|was|were|be) none\b/gi, "is not one, there is no …", 3],
  [/\balso (?:when|if|for)\b/gi, "even when, including", 0],
  [/\bat once\b/gi, "immediately, in parallel, together", 0],
  [/\bwhom\b/gi, "who, that, or another sentence", 3],
];

const root = join(import.meta.dirname, "..");
const isChecked = (path) =>
  /\.(?:tsx?|m?js|mts|md|ya?ml|json|html|css)$/.test(path) &&
  !/(?:^|\/)generated\/|^(?:pnpm-lock\.yaml|spec\/interface\.md|scripts\/idioms\.mjs)$/.test(path);

const hits = idioms.map(() => []);
for (const path of execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n").filter(isChecked)) {
  let text = "";
  try {
    text = readFileSync(join(root, path), "utf8");
  } catch {
    // The file was deleted, but the deletion is not committed yet.
  }
  for (const [index, [pattern]] of idioms.entries())
    for (const { 0: match, index: offset } of text.matchAll(pattern))
      hits[index].push(`${path}:${text.slice(0, offset).split("\n").length}: ${match}`);
}

for (const [index, [pattern, replacements, limit]] of idioms.entries()) {
  const uses = hits[index];
  if (uses.length <= limit) continue;
  console.error(`${uses.length} uses of ${pattern.source}, but only ${limit} are allowed. Write: ${replacements}`);
  console.error(uses.join("\n"));
  process.exitCode = 1;
}
