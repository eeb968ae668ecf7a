import type { Store } from "../../store/store.ts";
import { Leases } from "./leases.ts";

export interface LeasesOptions {
  /** How long the rows of a process that died are kept from others (D-70). @default 4 */
  leaseSeconds?: number;
  onError: (error: unknown) => void;
}

/** Opens this process's lease. On PGlite, rows that a killed process worked on are free at once. */
export async function openLeases(store: Store, { leaseSeconds = 4, onError }: LeasesOptions): Promise<Leases> {
  const leases = new Leases(store, leaseSeconds * 1_000, onError);
  if (store.name === "pglite") await leases.freeLapsed(true);
  return leases;
}
