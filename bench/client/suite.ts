import { compare } from "../comparison.ts";
import { runRounds } from "../rounds.ts";
import type { Suite } from "../suite.ts";
import { bundledBytes } from "./bundle.ts";
import { measureCalls } from "./calls.ts";
import { coldImportMs } from "./cold-import.ts";
import type { Contender } from "./contender.ts";
import { contender as axios } from "./contenders/axios.ts";
import { contender as axiosFetch } from "./contenders/axios-fetch.ts";
import { contender as bareFetch } from "./contenders/bare-fetch.ts";
import { generateHeyApi } from "./contenders/hey-api.ts";
import { contender as ky } from "./contenders/ky.ts";
import { contender as ofetch } from "./contenders/ofetch.ts";
import { contender as offersClient } from "./contenders/offers-client.ts";
import { contender as offersClientNode } from "./contenders/offers-client-node.ts";
import { contender as openapiFetch } from "./contenders/openapi-fetch.ts";
import { contender as stripe } from "./contenders/stripe.ts";
import { contender as stripeFetch } from "./contenders/stripe-fetch.ts";
import { contender as undiciRequest } from "./contenders/undici-request.ts";

/** Clients: the time of a call, the weight of a program, the time to load. */
export const measureClients: Suite = async (options) => {
  const contenders: Contender[] = [
    bareFetch,
    offersClient,
    offersClientNode,
    undiciRequest,
    openapiFetch,
    await generateHeyApi(),
    ofetch,
    ky,
    axios,
    axiosFetch,
    stripe,
    stripeFetch,
  ];
  const calls = await measureCalls(contenders, options);

  const packages = contenders.flatMap(({ label, package: own }) => (own ? [{ label, ...own }] : []));
  const sizes = new Map<string, number[]>();
  for (const one of packages) {
    const label = one.platform === "node" ? `${one.label}, for Node` : one.label;
    sizes.set(label, [await bundledBytes(one)]);
  }

  const loaded = packages.filter(({ imports }) => imports.length > 0);
  const imports = await runRounds(
    [{ label: "node:url, for scale", imports: ["node:url"] }, ...loaded],
    options.quick ? 3 : 15,
    (one) => coldImportMs(one.imports),
  );
  return [
    ...calls,
    compare(
      { title: "A program that reads one offer, bundled", unit: "bytes, minified and gzipped", better: "lower" },
      sizes,
    ),
    compare({ title: "Cold import", unit: "ms", better: "lower" }, imports),
  ];
};
