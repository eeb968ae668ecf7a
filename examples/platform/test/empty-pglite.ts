import { PgliteThread } from "../src/store/pglite-thread.ts";
import { cachedFolder } from "./cached-folder.ts";

/** A folder as PGlite makes it, never opened again: to be copied. */
export const emptyPglite = (): Promise<string> =>
  cachedFolder("@electric-sql/pglite", async (draft) => {
    const thread = new PgliteThread(draft, () => undefined);
    await thread.waitReady;
    await thread.close();
  });
