import { type Comparison, compare } from "../comparison.ts";
import { collectPairs, measureAlternately } from "../pairs.ts";
import type { Suite, SuiteOptions } from "../suite.ts";
import { measureBundleBytes } from "./bundle.ts";
import { type ClientModule, measureCalls } from "./calls.ts";
import type { ClientCandidate, Package } from "./candidate.ts";
import { measureColdImportMs } from "./cold-import.ts";
import { generateHeyApi } from "./generate-hey-api.ts";
import { measureScenarios } from "./measure-scenarios.ts";

type LabelledPackage = Package & { readonly label: string };

/** The other modules are compared with the first one, which is the base. */
const modules = [
  "bare-fetch",
  "offers-client",
  "offers-client-fetch",
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
  const clients = await loadClients();
  const packages = clients.flatMap(({ label, candidate }) =>
    candidate.package ? [{ label, ...candidate.package }] : [],
  );
  return [
    ...(await measureCalls(clients, options)),
    await measureBundles(packages),
    await measureImports(packages, options),
    await measureScenarios(options),
  ];
};

async function loadClients(): Promise<ClientModule[]> {
  const clients: ClientModule[] = [];
  for (const module of modules) {
    const { candidate } = (await import(module.href)) as { candidate: ClientCandidate };
    clients.push({ label: candidate.label, module, candidate });
  }
  return clients;
}

async function measureBundles(packages: readonly LabelledPackage[]): Promise<Comparison> {
  const sizes = new Map<string, number[]>();
  for (const candidatePackage of packages) {
    const label = candidatePackage.platform === "node" ? `${candidatePackage.label}, for Node` : candidatePackage.label;
    sizes.set(label, [await measureBundleBytes(candidatePackage)]);
  }
  const title = "A program that reads one offer, bundled";
  return compare({ title, unit: "bytes, minified and gzipped", better: "lower", exact: true }, sizes);
}

async function measureImports(packages: readonly LabelledPackage[], { quick }: SuiteOptions): Promise<Comparison> {
  const packagesWithImports = packages.filter(({ imports }) => imports.length > 0);
  const [imports] = await collectPairs(packagesWithImports, quick ? 2 : 12, async (candidatePackage, base) => [
    await measureAlternately(
      quick ? 1 : 4,
      () => measureColdImportMs(base.imports),
      () => measureColdImportMs(candidatePackage.imports),
    ),
  ]);
  return compare({ title: "Cold import", unit: "ms", better: "lower" }, imports?.values, imports?.ratios);
}
