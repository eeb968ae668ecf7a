// Fails where the contract is not proven: a statement of spec/interface.md without a test, an open question without a
// decision, a decision without a test, a reference to a test that is not there, an undecided id, a decision that is not cited.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { readDecisions, readProofs, readStatements } from "./gate/contract.ts";

const root = resolve(import.meta.dirname, "..");
const statements = readStatements(root);
const proofs = readProofs(root);
const decisions = readDecisions(root);
const errors: string[] = [];

const isProofOf = ({ section, text }: (typeof statements)[number], proof: (typeof proofs)[number]) =>
  proof.section === section && proof.says === text;

for (const statement of statements) {
  const proof = proofs.find((one) => isProofOf(statement, one));
  if (!proof) errors.push(`not proven: ${statement.section}: ${statement.text}`);
  else if (statement.isOpen && proof.decisions.length === 0)
    errors.push(`open, and not decided: ${statement.section}: ${statement.text}`);
}
for (const proof of proofs)
  if (!statements.some((one) => isProofOf(one, proof)))
    errors.push(`spec/interface.md does not say, under ${proof.section}: ${proof.says}`);

const references = [
  ...proofs.flatMap(({ section, says, tests }) => tests.map((test) => [`${section}: ${says}`, test] as const)),
  ...Object.entries(decisions).flatMap(([id, { tests }]) => tests.map((test) => [id, test] as const)),
];
const files = new Set(references.map(([, test]) => test.split(" > ", 1)[0] as string));
const tests = new Set(
  [
    vitest("list", ...files, "--json"),
    vitest("list", ...files, "--json", "--config", "tools/gate/vitest/slow.config.ts"),
  ]
    .flatMap((listed) => JSON.parse(listed) as { name: string; file: string }[])
    .map(({ name, file }) => `${relative(root, file)} > ${name}`),
);
for (const [by, test] of references) if (!tests.has(test)) errors.push(`no such test: ${test}\n  named by ${by}`);

const cited = citedDecisions();
for (const id of new Set([...cited.keys(), ...proofs.flatMap((proof) => proof.decisions)]))
  if (!decisions[id]) errors.push(`${id} is cited in ${cited.get(id) ?? "spec/proofs.yaml"}, but is not decided`);
for (const id of Object.keys(decisions)) if (!cited.has(id)) errors.push(`${id} is cited nowhere in the code`);

if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
console.log(
  `${statements.length} statements and ${Object.keys(decisions).length} decisions proven by ${new Set(references.map(([, test]) => test)).size} tests`,
);

function vitest(...args: string[]): string {
  return execFileSync(join(root, "node_modules/.bin/vitest"), args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
}

/** Every id that the packages, the examples and the OpenAPI document cite, with one file of each. */
function citedDecisions(): Map<string, string> {
  const files = execFileSync(
    "git",
    ["ls-files", "-co", "--exclude-standard", "packages", "examples", "spec/openapi.yaml"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  const cited = new Map<string, string>();
  for (const file of files.trim().split("\n"))
    if (/\.(ts|yaml)$/.test(file) && !file.includes("/generated/"))
      for (const [id] of readFileSync(join(root, file), "utf8").matchAll(/\bD-\d{2,3}\b/g)) cited.set(id, file);
  return cited;
}
