import type { Store } from "../../store/store.ts";
import type { Device } from "./push-transport.ts";

/** From now on the device has the menu alone, unless it was given another token meanwhile. */
export async function forgetToken(store: Store, { id, token }: Device): Promise<void> {
  await store.db.updateTable("devices").set({ token: null }).where("id", "=", id).where("token", "=", token).execute();
}
