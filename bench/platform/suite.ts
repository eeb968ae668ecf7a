import { storesUnderTest } from "../../examples/platform/test/support/stores/stores.ts";
import { ForkedProcess } from "../../tools/processes/forked-process.ts";
import type { Comparison } from "../comparison.ts";
import type { Suite } from "../suite.ts";
import { measureCreations } from "./creations.ts";
import { measureDeliveries, measureProcesses } from "./deliveries.ts";
import { measureRecipients } from "./recipients.ts";

/** The reference platform on both of its stores; without a PostgreSQL at `DATABASE_URL` or 127.0.0.1:5432, on PGlite. */
export const measurePlatform: Suite = async (options) => {
  const stores = await storesUnderTest();
  const receiver = new ForkedProcess(new URL("receive.ts", import.meta.url));
  const address = `http://127.0.0.1:${await receiver.message<number>()}`;
  const comparisons: Comparison[] = [await measureDeliveries(stores, address, options)];
  for (const store of stores)
    if (store.title !== "PGlite") comparisons.push(await measureProcesses(store, address, options));
  comparisons.push(await measureCreations(stores, address, options));
  for (const store of stores) comparisons.push(await measureRecipients(store, options));
  await receiver.stop();
  return comparisons;
};
