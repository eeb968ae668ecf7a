/** What crosses the thread boundary between `PgliteThread` and its worker. Plain data only. */
export interface PgliteRequest {
  id: number;
  /** Without parameters the text may hold several statements. */
  sql: string;
  parameters?: unknown[];
  /** Outside a transaction: a failure must leave none open behind it. */
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
