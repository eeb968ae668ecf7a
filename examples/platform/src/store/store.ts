import type { Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Tables } from "./tables.ts";

export const topics = ["offer", "delivery", "endpoint", "mail", "notification"] as const;

export type Topic = (typeof topics)[number];

/** Says that something changed, but not how: a listener reads the store. */
export interface Signal {
  topic: Topic;
  /** The organisation whose data changed. Absent for a notification, and for mail to an address outside any organisation. */
  organisationId?: string | undefined;
  /** The workers who got a notification. Absent when they are unknown or too many to name: then every worker may have one. */
  workerIds?: readonly string[] | undefined;
}

/** What a listener receives. `everything`: any data may have changed, for example while a connection was lost. */
export type Heard = Signal | "everything";

const announced = new WeakMap<Trx, Signal[]>();

/**
 * Makes the store publish these signals when this transaction commits. A rollback discards them. The function that records the change
 * calls it, so that its callers cannot forget it.
 */
export function announce(trx: Trx, ...signals: readonly Signal[]): void {
  announced.set(trx, [...announcedIn(trx), ...signals]);
}

/** The announced signals, which the store publishes after the commit. */
export const announcedIn = (trx: Trx): readonly Signal[] => announced.get(trx) ?? [];

/** A transaction. Code that runs inside one uses nothing else: no `store.db`, network or files. */
export type Trx = Transaction<Tables>;

/** One SQL store under one code path: PGlite in the data folder, or PostgreSQL. */
export interface Store {
  readonly name: "pglite" | "postgres";
  /** For people: `PGlite in data`, `PostgreSQL 15.20`. Never the address, which may contain a password. */
  readonly label: string;
  readonly db: Kysely<Tables>;
  /**
   * Commits everything that `work` did with `trx`, or nothing, and then publishes the announced signals.
   *
   * @throws {StoreError} `transaction_overdue` when no statement started for 5 s, and `database_lost` when one did not return for 5 s;
   *   the transaction is then rolled back, and its further statements are rejected. `database_lost` also means that the database is
   *   unavailable or read-only, and `commit_uncertain` when it was lost during the commit
   */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /**
   * Calls `publish` after each commit with the signals announced in the transaction, including those of background work.
   *
   * @returns ends the subscription
   */
  onCommit(publish: (signals: readonly Signal[]) => void): () => void;
  /** Runs SQL without kysely, possibly several statements. */
  execute(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /**
   * The same store for background work. On PGlite, which does one thing at a time, foreground work goes first; on PostgreSQL,
   * background work uses prepared statements.
   */
  readonly background: Store;
  /** Only on PostgreSQL: a connection outside the pool, which the caller connects and ends. */
  readonly newClient?: () => pg.Client;
  close(): Promise<void>;
}

export type StoreErrorCode =
  | "data_folder_in_use"
  | "data_folder_incompatible"
  | "newer_tables"
  | "unreleased_tables"
  | "store_stopped"
  | "transaction_overdue"
  | "database_lost"
  | "commit_uncertain"
  | "invalid_encryption_key";

/** The store cannot be opened, used or decrypted. `code` is stable; `message` says what to change. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
