/** Messages between `PgliteThread` and its worker thread. Plain data only. */
export interface PgliteRequest {
  id: number;
  /** Without parameters the text may hold several statements. */
  sql: string;
  parameters?: unknown[];
  /** Whether it is sent outside a transaction: after a failure the worker then rolls back, so that no transaction stays open. */
  standalone: boolean;
}

export interface PgliteRows {
  rows: Record<string, unknown>[];
  affectedRows?: number;
}

/** An error as data: `Error`s lose their own fields when they are posted, and `code` is what callers test. */
export type PgliteFailure = { message: string } & Partial<Record<(typeof failureFields)[number], string>>;

export const failureFields = ["code", "severity", "detail", "hint", "schema", "table", "column", "constraint"] as const;

export type PgliteResponse =
  | ({ id: number } & PgliteRows)
  | { id: number; failure: PgliteFailure }
  | { ready: true }
  | { failure: PgliteFailure };

export interface PgliteWorkerData {
  folder: string;
}
