// Makes everything that is derived from spec/, or with --check fails where what is committed differs.
//   npm run generate            writes
//   npm run generate -- --check compares, writes nothing
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { printGlossary } from "./glossary/print-glossary.ts";
import { printConstants } from "./print-constants.ts";
import { printContract } from "./print-contract.ts";
import { printDecisions } from "./print-decisions.ts";
import { printReceived, receivedFiles } from "./print-received.ts";
import { printSchemas } from "./print-schemas.ts";
import { printShape } from "./print-shape.ts";
import { printTypes } from "./print-types.ts";

const root = resolve(import.meta.dirname, "..");
const types = await printTypes(root);
const schemas = await printSchemas(root);

const products = new Map([
  ["packages/client/src/generated/openapi.ts", types],
  ["packages/client/src/generated/schemas.ts", await printSchemas(root, ["Offer"])],
  ["packages/client/src/generated/offer-shape.ts", await printShape(root, "Offer")],
  ["packages/webhook-kit/src/generated/openapi.ts", types],
  ["packages/webhook-kit/src/generated/schemas.ts", schemas],
  ["examples/platform/src/generated/openapi.ts", types],
  ["examples/platform/src/generated/schemas.ts", schemas],
  ["packages/client/src/generated/decisions.ts", printConstants(root, "client")],
  ["packages/webhook-kit/src/generated/decisions.ts", printConstants(root, "webhook-kit")],
  ["examples/platform/src/generated/decisions.ts", printConstants(root, "platform")],
  ["docs/decisions.md", printDecisions(root)],
  ["docs/contract.md", printContract(root)],
  ["docs/glossary.md", printGlossary(root)],
]);
for (const file of receivedFiles)
  for (const folder of ["packages/client", "packages/webhook-kit", "examples/platform"])
    products.set(`${folder}/src/generated/${file}`, await printReceived(root, file));

const check = process.argv.includes("--check");
const drifted: string[] = [];
for (const [path, content] of products) {
  const file = resolve(root, path);
  const committed = await readFile(file, "utf8").catch(() => undefined);
  if (committed === content) continue;
  drifted.push(relative(root, file));
  if (check) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

if (check && drifted.length > 0) {
  console.error(`These differ from what spec/ says; run npm run generate and commit:\n  ${drifted.join("\n  ")}`);
  process.exit(1);
}
console.log(
  check
    ? `generated: ${products.size} files match spec/`
    : `generated: ${drifted.length} of ${products.size} files written`,
);
