import type { Store, Trx } from "./store.ts";

export const topics = ["offer", "delivery", "endpoint", "mail", "notification"] as const;

export type Topic = (typeof topics)[number];

/** Says that something changed, not how: a listener reads the store. */
export interface Signal {
  topic: Topic;
  /** The organisation whose data changed. Absent for a notification, and for mail to an address of no organisation. */
  organisationId?: string | undefined;
  /** The workers who got a notification. Absent when they are unknown or too many to name: then every worker may have one. */
  workerIds?: readonly string[] | undefined;
}

/** What a listener receives. `everything`: any data may have changed, for example while a connection was lost. */
export type Heard = Signal | "everything";

/** Receives the signals of each committed transaction. */
export interface Publisher {
  publish(signals: Signal | readonly Signal[]): void;
}

const announced = new WeakMap<Trx, Signal[]>();

/** Has `commitAndPublish` publish these signals when this transaction is committed. A rollback discards them. */
export function announce(trx: Trx, ...signals: readonly Signal[]): void {
  announced.set(trx, [...(announced.get(trx) ?? []), ...signals]);
}

/** Runs `work` in a transaction and publishes, after the commit, the signals that were announced in it. */
export async function commitAndPublish<T>(
  { store, signals }: { store: Store; signals: Publisher },
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  let toPublish: readonly Signal[] = [];
  const result = await store.transaction(async (trx) => {
    const done = await work(trx);
    toPublish = announced.get(trx) ?? [];
    return done;
  });
  signals.publish(toPublish);
  return result;
}
