import type { Kysely, Transaction } from "kysely";
import type pg from "pg";
import type { Tables } from "./tables.ts";

export const topics = ["offer", "delivery", "endpoint", "mail", "notification"] as const;

export type Topic = (typeof topics)[number];

/** Says that something has changed, but not how: listeners read the store. */
export interface Signal {
  topic: Topic;
  /** The organisation whose data has changed. Absent for a notification, and for an email to an address outside any organisation. */
  organisationId?: string | undefined;
  /** The workers who got a notification. Absent if they are unknown or too many to name, so that every worker may have one. */
  workerIds?: readonly string[] | undefined;
}

/** What a listener receives. `everything` means that any data may have changed, for example while a connection was lost. */
export type Heard = Signal | "everything";

const announced = new WeakMap<Trx, Signal[]>();

/**
 * Makes the store publish these signals once this transaction commits. A rollback discards them. The function that records the change
 * must call it, so that its own callers cannot forget to.
 */
export function announce(trx: Trx, ...signals: readonly Signal[]): void {
  announced.set(trx, [...announcedIn(trx), ...signals]);
}

/** Returns the announced signals, which the store publishes after the commit. */
export const announcedIn = (trx: Trx): readonly Signal[] => announced.get(trx) ?? [];

/** A transaction. Code that runs inside one uses nothing else: no `store.db`, network or files. */
export type Trx = Transaction<Tables>;

/** A SQL store, either PGlite in the data folder or PostgreSQL, with the same code for both. */
export interface Store {
  readonly name: "pglite" | "postgres";
  /** A label for people, such as `PGlite in data` or `PostgreSQL 15.20`. Never contains the URL, which may contain a password. */
  readonly label: string;
  readonly db: Kysely<Tables>;
  /**
   * Commits everything that `work` did with `trx`, or nothing, and then publishes the announced signals.
   *
   * @throws {StoreError} `transaction_overdue` if no statement started for 5 s, and `database_lost` if one did not return for 5 s;
   *   the transaction is then rolled back, and its further statements are rejected. `database_lost` also means that the database is
   *   unavailable or read-only, and `commit_uncertain` that the connection was lost during the commit
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
   * The same store for background work. On PGlite, which does one thing at a time, foreground work goes first. On PostgreSQL,
   * background work uses prepared statements.
   */
  readonly background: Store;
  /** Creates a client outside the pool, which the caller connects and ends. Only on PostgreSQL. */
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

/** Thrown if the store cannot be opened, used or decrypted. `code` is stable; `message` says what to change. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
