import { compare } from "../comparison.ts";
import type { Suite } from "../suite.ts";
import { bundledBytes } from "./bundle.ts";
import { measureCalls } from "./calls.ts";
import { coldImportMs } from "./cold-import.ts";
import { contender as bareFetch } from "./contenders/bare-fetch.ts";
import { contender as offersClient } from "./contenders/offers-client.ts";

const contenders = [bareFetch, offersClient];

/** Clients: the time of a call, the weight of a program, the time to load. */
export const measureClients: Suite = async (options) => {
  const calls = await measureCalls(contenders, options);
  const sizes = new Map<string, number[]>();
  for (const { label, program } of contenders) sizes.set(label, [await bundledBytes(program)]);
  const imports = new Map<string, number[]>([
    ["node:url, for scale", []],
    ["**@offers/client**", []],
  ]);
  for (let round = 0; round < (options.quick ? 3 : 15); round += 1) {
    imports.get("node:url, for scale")?.push(await coldImportMs("node:url"));
    imports.get("**@offers/client**")?.push(await coldImportMs("@offers/client"));
  }
  return [
    ...calls,
    compare(
      { title: "A program that reads one offer, bundled", unit: "bytes, minified and gzipped", better: "lower" },
      sizes,
    ),
    compare({ title: "Cold import", unit: "ms", better: "lower" }, imports),
  ];
};
