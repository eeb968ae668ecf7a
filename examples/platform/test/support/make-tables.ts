import { openQueue } from "../../src/queue/open-queue.ts";
import { openStore, type StoreOptions } from "../../src/store/open-store.ts";

/** Brings a place's tables up to date, as the platform does when it starts. */
export async function makeTables(options: StoreOptions): Promise<void> {
  const store = await openStore(options);
  const queue = await openQueue(store);
  await queue.stop();
  await store.close();
}
