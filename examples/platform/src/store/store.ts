import type { Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Tables } from "./tables.ts";

export const topics = ["offer", "delivery", "endpoint", "mail", "notification"] as const;

export type Topic = (typeof topics)[number];

/** Notifies listeners that data has changed. To find out what has changed, they read the store. */
export interface Signal {
  topic: Topic;
  /** The organisation whose data has changed. Absent for notifications, and for emails to addresses outside any organisation. */
  organisationId?: string | undefined;
  /** The workers who may have new notifications. If absent, any worker may have one. */
  workerIds?: readonly string[] | undefined;
}

/** What a listener receives. `everything` means that any data may have changed, for example while a connection was lost. */
export type ReceivedSignal = Signal | "everything";

const announcedSignals = new WeakMap<Trx, Signal[]>();

/**
 * Makes the store publish these signals once the transaction commits. A rollback discards them. Call it in the function that stores
 * the change, so that the callers of that function cannot forget it.
 */
export function announce(trx: Trx, ...signals: readonly Signal[]): void {
  announcedSignals.set(trx, [...getAnnouncedSignals(trx), ...signals]);
}

/** Returns the announced signals, which the store publishes after the commit. */
export const getAnnouncedSignals = (trx: Trx): readonly Signal[] => announcedSignals.get(trx) ?? [];

/** A transaction. Code inside a transaction must not use `store.db`, the network or files. */
export type Trx = Transaction<Tables>;

/** A SQL store: PGlite in the data folder, or PostgreSQL. Both use the same code. */
export interface Store {
  readonly name: "pglite" | "postgres";
  /** A label to show, such as `PGlite in data` or `PostgreSQL 15.20`. Never contains the URL, which may contain a password. */
  readonly label: string;
  readonly db: Kysely<Tables>;
  /**
   * Commits everything that `work` does with `trx`, or nothing if it rejects. Then publishes the announced signals.
   *
   * @throws {StoreError} `transaction_overdue` if no statement started for 5 s; `database_lost` if none started for 2 s on PostgreSQL,
   *   if a statement did not return for 5 s, or if the database is unavailable or read-only. The transaction is then rolled back, and its
   *   further statements are rejected. `commit_uncertain` if the connection was lost during the commit
   */
  transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T>;
  /**
   * Calls `publish` after each commit with the signals announced in the transaction, including those from background work.
   *
   * @returns a function that ends the subscription
   */
  onCommit(publish: (signals: readonly Signal[]) => void): () => void;
  /** Runs one or several SQL statements without kysely. */
  execute(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
  /**
   * The same store for background work. On PGlite, which runs one statement at a time, foreground work has priority. On PostgreSQL,
   * background work uses prepared statements.
   */
  readonly background: Store;
  /** Creates a client outside the pool. The caller must connect and end it. Only on PostgreSQL. */
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

/** Thrown if the store cannot be opened or used, or a secret cannot be decrypted. `code` is stable; `message` explains the remedy. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
