import { compare } from "../comparison.ts";
import { collectPairs, measureInTurns } from "../pairs.ts";
import type { Suite } from "../suite.ts";
import { bundledBytes } from "./bundle.ts";
import { type ClientModule, measureCalls } from "./calls.ts";
import type { ClientCandidate } from "./candidate.ts";
import { coldImportMs } from "./cold-import.ts";
import { generateHeyApi } from "./generate-hey-api.ts";
import { measureScenarios } from "./measure-scenarios.ts";

/** The first is the base. */
const modules = [
  "bare-fetch",
  "offers-client",
  "offers-client-node",
  "undici-request",
  "openapi-fetch",
  "hey-api",
  "ofetch",
  "ky",
  "axios",
  "axios-fetch",
  "stripe",
  "stripe-fetch",
].map((name) => new URL(`candidates/${name}.ts`, import.meta.url));

/** Clients: the time of a call, the size of a program, the time to load, and the time of a scenario with the service in memory. */
export const measureClients: Suite = async (options) => {
  await generateHeyApi();
  const clients: ClientModule[] = [];
  for (const module of modules) {
    const { candidate } = (await import(module.href)) as { candidate: ClientCandidate };
    clients.push({ label: candidate.label, module, candidate });
  }
  const calls = await measureCalls(clients, options);

  const packages = clients.flatMap(({ label, candidate }) =>
    candidate.package ? [{ label, ...candidate.package }] : [],
  );
  const sizes = new Map<string, number[]>();
  for (const one of packages) {
    const label = one.platform === "node" ? `${one.label}, for Node` : one.label;
    sizes.set(label, [await bundledBytes(one)]);
  }

  const loaded = packages.filter(({ imports }) => imports.length > 0);
  const [imports] = await collectPairs(loaded, options.quick ? 2 : 12, async (one, base) => [
    await measureInTurns(
      options.quick ? 1 : 4,
      () => coldImportMs(base.imports),
      () => coldImportMs(one.imports),
    ),
  ]);
  const weight = "A program that reads one offer, bundled";
  return [
    ...calls,
    compare({ title: weight, unit: "bytes, minified and gzipped", better: "lower", exact: true }, sizes),
    compare({ title: "Cold import", unit: "ms", better: "lower" }, imports?.values, imports?.ratios),
    await measureScenarios(options),
  ];
};
