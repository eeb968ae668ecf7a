import type { Store } from "../store/store.ts";

/** A reader that was away for longer is told to look at everything anew (D-82). */
const keptMs = 60 * 60_000;

export async function purgeChanges({ db }: Store, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptMs);
  await db.deleteFrom("changes").where("created_at", "<", before).execute();
}
