// Many calls against a service under faults:
//   npm run check -- soak
//   npm run check -- soak --calls 2000 --seed 7 --concurrency 50 --transport node
import { parseArgs } from "node:util";
import { undiciFetch } from "@offers/client/node";
import { runtimesFetch, type SoakOptions, soak } from "./soak.ts";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    concurrency: { type: "string", default: "250" },
    /** The runtime's fetch, or "node": that of @offers/client/node. */
    transport: { type: "string", default: "fetch" },
  },
});
const options: SoakOptions = {
  calls: Number(values.calls),
  seed: Number(values.seed),
  concurrency: Number(values.concurrency),
  transport: values.transport === "node" ? overUndici() : runtimesFetch,
};
console.log(
  `${options.calls} calls over ${values.transport}, ${options.concurrency} at a time, --seed ${options.seed}`,
);

const { outcomes, counts, heap, durationMs, faults } = await soak(options);
console.table(outcomes);
console.log(`\nHeap in kB after each quarter: ${heap.map((bytes) => Math.round(bytes / 1_000)).join(", ")}`);
for (const fault of faults) console.log(fault);
console.log(
  `${faults.length ? "FAILED" : "Passed"}: ${options.calls} calls, ${counts.requests} requests, ${Math.round(durationMs / 1_000)} s; ` +
    `${counts.repeated} creations or completions sent twice, ${counts.redirectTarget} redirects followed, ${counts.connections} connections left`,
);
process.exitCode = faults.length ? 1 : 0;

function overUndici() {
  const fetch = undiciFetch();
  return { fetch, close: () => fetch.close() };
}
