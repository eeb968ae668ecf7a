import type { Trx } from "../store.ts";
import type { Signal } from "./signal.ts";

const announced = new WeakMap<Trx, Signal[]>();

/** Has signals published after the commit of this transaction (see `commit`), and not at all when it is rolled back. */
export function announce(trx: Trx, ...signals: readonly Signal[]): void {
  announced.set(trx, [...announcedIn(trx), ...signals]);
}

export const announcedIn = (trx: Trx): readonly Signal[] => announced.get(trx) ?? [];
