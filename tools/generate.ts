// Makes everything that is derived from spec/, or with --check fails where what is committed differs.
//   npm run generate            writes
//   npm run generate -- --check compares, writes nothing
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { printBenchmarks } from "./benchmarks/print-benchmarks.ts";
import { drawDiagrams } from "./diagrams/draw-diagrams.ts";
import { printEvents } from "./docs/pages/print-events.ts";
import { printOperations } from "./docs/pages/print-operations.ts";
import { printErrorPages } from "./error-pages/print-error-pages.ts";
import { printConstants } from "./generate/print-constants.ts";
import { printContract } from "./generate/print-contract.ts";
import { printDecisions } from "./generate/print-decisions.ts";
import { printSchemas } from "./generate/print-schemas.ts";
import { printShape } from "./generate/print-shape.ts";
import { printTypes } from "./generate/print-types.ts";
import { printGlossary } from "./glossary/print-glossary.ts";
import { printSkills } from "./skills/print-skills.ts";

const root = resolve(import.meta.dirname, "..");
const types = await printTypes(root);
const { offer: offerSchemas, others: otherSchemas } = await printSchemas(root);

const products = new Map([
  ["packages/contract/src/generated/openapi.ts", types],
  ["packages/contract/src/generated/offer-schemas.ts", offerSchemas],
  ["packages/contract/src/generated/schemas.ts", otherSchemas],
  ["packages/contract/src/generated/decisions.ts", printConstants(root, "contract")],
  ["packages/client/src/generated/decisions.ts", printConstants(root, "client")],
  ["packages/client/src/generated/offer-shape.ts", await printShape(root, "Offer")],
  ["packages/webhook-kit/src/generated/decisions.ts", printConstants(root, "webhook-kit")],
  ["examples/platform/src/generated/decisions.ts", printConstants(root, "platform")],
  ["docs/decisions.md", printDecisions(root)],
  ["docs/contract.md", printContract(root)],
  ["docs/glossary.md", printGlossary(root)],
  ...printOperations(root),
  ...printEvents(root),
  ...printErrorPages(root),
  ...printBenchmarks(root),
  ...(await drawDiagrams(root)),
  ...printSkills(root),
]);
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
  console.error(`These differ from spec/; run npm run generate and commit:\n  ${drifted.join("\n  ")}`);
  process.exit(1);
}
console.log(
  check
    ? `generated: ${products.size} files match spec/`
    : `generated: ${drifted.length} of ${products.size} files written`,
);
