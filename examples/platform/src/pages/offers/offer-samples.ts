import { apiKeyHeader } from "../../generated/decisions.ts";
import { type CodeSamples, shellWord } from "../layout/code-samples.ts";

/** The body of a creation, with example values for missing input. */
export type SampleCreation = Record<string, unknown>;

const connect = (baseUrl: string): string => `import { OffersClient } from "@offers/client";

const offers = new OffersClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.OFFERS_API_KEY ?? "",
});`;

const curlWithKey = `curl --fail-with-body \\
  --header "${apiKeyHeader}: $OFFERS_API_KEY"`;

export const creationSamples = (baseUrl: string, creation: SampleCreation): CodeSamples => ({
  id: "code-create",
  act: "Create this offer",
  client: `${connect(baseUrl)}

const { id } = await offers.createOffer(${literal(creation)});
console.log(id);`,
  curl: `${curlWithKey} \\
  --header "Content-Type: application/json" \\
  --data ${shellWord(pretty(creation))} \\
  ${shellWord(`${baseUrl}/offer`)}`,
});

export const readingSamples = (baseUrl: string, id: string): CodeSamples => ({
  id: "code-read",
  act: "Read this offer and watch responses",
  client: `${connect(baseUrl)}

for await (const { name, response } of offers.watchOffer(${JSON.stringify(id)})) console.log(\`\${name}: \${response}\`);`,
  curl: `${curlWithKey} \\
  ${shellWord(`${baseUrl}/offer/${encodeURIComponent(id)}`)}`,
});

export const completionSamples = (baseUrl: string, id: string, workerIds: readonly string[]): CodeSamples => ({
  id: "code-complete",
  act: "Complete this offer",
  client: `${connect(baseUrl)}

await offers.completeOffer(${JSON.stringify(id)}, ${JSON.stringify(workerIds)});`,
  curl: `${curlWithKey} \\
  --header "Content-Type: application/json" \\
  --data ${shellWord(JSON.stringify(workerIds))} \\
  ${shellWord(`${baseUrl}/offer/${encodeURIComponent(id)}/complete?api-version=1.0`)}`,
});

export const withdrawalSamples = (baseUrl: string, id: string): CodeSamples => ({
  id: "code-withdraw",
  act: "Withdraw this offer",
  client: `${connect(baseUrl)}

await offers.withdrawOffer(${JSON.stringify(id)});`,
  curl: `${curlWithKey} \\
  ${shellWord(`${baseUrl}/offer/${encodeURIComponent(id)}/withdraw`)}`,
});

/** A TypeScript literal: property names without quotes. */
const literal = (value: unknown): string => pretty(value).replaceAll(/(^\s*|[{,] )"([A-Za-z_]\w*)":/gm, "$1$2:");

/** JSON with short values on one line. */
function pretty(value: unknown, indent = ""): string {
  const inOne = JSON.stringify(value, null, 1)
    .replaceAll(/(?<=\[)\n\s*|\n\s*(?=\])/g, "")
    .replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || inOne.length + indent.length < 56) return inOne;
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = Array.isArray(value)
    ? value.map((one) => `${inner}${pretty(one, inner)}`)
    : Object.entries(value).map(([name, one]) => `${inner}${JSON.stringify(name)}: ${pretty(one, inner)}`);
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}
