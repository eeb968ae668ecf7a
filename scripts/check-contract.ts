// Fails if a statement of spec/interface.md or a decision has no test with its tag, a tag is unknown, an open question has no decision, a
// decision refers to an unknown statement, a cited decision does not exist, or a decision is not cited.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readDecisions, readProofs, readStatements } from "./ci/contract.ts";

const root = resolve(process.argv[2] ?? join(import.meta.dirname, ".."));
const statements = readStatements(root);
const decisions = readDecisions(root);
const proofs = readProofs(root);
const ids = Object.keys(decisions);
const knownTags = new Set([...statements.map(({ tag }) => tag), ...ids]);
const provenTags = new Set(proofs.map(({ tag }) => tag));
const decidedTags = new Set(Object.values(decisions).flatMap((decision) => decision.interface));
const errors: string[] = [];

for (const { tag, test } of proofs) if (!knownTags.has(tag)) errors.push(`unknown tag [${tag}]: ${test}`);
for (const { tag, text } of statements) {
  if (!provenTags.has(tag)) errors.push(`no test has the tag [${tag}]: ${text}`);
  if (/not (shown|explained)/.test(text) && !decidedTags.has(tag))
    errors.push(`open question without a decision: [${tag}]: ${text}`);
}
for (const tag of decidedTags) if (!knownTags.has(tag)) errors.push(`unknown statement in spec/decisions.yaml: ${tag}`);
for (const id of ids) if (!provenTags.has(id)) errors.push(`no test has the tag [${id}]`);

const citingFiles = findCitedDecisions();
for (const [id, file] of citingFiles) if (!decisions[id]) errors.push(`${id} is cited in ${file}, but is not decided`);
for (const id of ids) if (!citingFiles.has(id)) errors.push(`${id} is cited nowhere in the code`);

if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
const tests = new Set(proofs.map(({ test }) => test));
console.log(`${statements.length} statements and ${ids.length} decisions proven by ${tests.size} tests`);

/** Finds the decisions that the packages, the examples and the OpenAPI document cite outside tags. Maps each to a file that cites it. */
function findCitedDecisions(): Map<string, string> {
  const exclude = (path: string) => /(^|\/)(node_modules|dist|generated)$/.test(path);
  const files = globSync(["{packages,examples}/**/*.{ts,yaml}", "spec/openapi.yaml"], { cwd: root, exclude });
  const findIds = (file: string) => readFileSync(join(root, file), "utf8").match(/(?<!\[)\bD-\d{2,3}\b/g) ?? [];
  return new Map(files.flatMap((file) => findIds(file).map((id) => [id, file])));
}
