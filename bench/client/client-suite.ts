import { compare } from "../comparison.ts";
import { collectPairs, measureAlternately } from "../pairs.ts";
import type { Suite } from "../suite.ts";
import { measureBundleBytes } from "./bundle.ts";
import { type ClientModule, measureCalls } from "./calls.ts";
import type { ClientCandidate } from "./candidate.ts";
import { measureColdImportMs } from "./cold-import.ts";
import { generateHeyApi } from "./generate-hey-api.ts";
import { measureScenarios } from "./measure-scenarios.ts";

/** The other modules are compared with the first one, which is the base. */
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

/** Measures the clients: time per call, bundle size, import time, and the time of a scenario with the in-memory service. */
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
  for (const candidatePackage of packages) {
    const label = candidatePackage.platform === "node" ? `${candidatePackage.label}, for Node` : candidatePackage.label;
    sizes.set(label, [await measureBundleBytes(candidatePackage)]);
  }

  const packagesWithImports = packages.filter(({ imports }) => imports.length > 0);
  const [imports] = await collectPairs(packagesWithImports, options.quick ? 2 : 12, async (candidatePackage, base) => [
    await measureAlternately(
      options.quick ? 1 : 4,
      () => measureColdImportMs(base.imports),
      () => measureColdImportMs(candidatePackage.imports),
    ),
  ]);
  const sizeTitle = "A program that reads one offer, bundled";
  return [
    ...calls,
    compare({ title: sizeTitle, unit: "bytes, minified and gzipped", better: "lower", exact: true }, sizes),
    compare({ title: "Cold import", unit: "ms", better: "lower" }, imports?.values, imports?.ratios),
    await measureScenarios(options),
  ];
};
