/** A message from `PgliteThread` to its worker thread. All messages are plain data. */
export interface PgliteRequest {
  id: number;
  /** One statement, or several if there are no parameters. */
  sql: string;
  parameters?: unknown[];
  /** Whether the request is outside a transaction. If so, the worker rolls back if it fails, so that no transaction stays open. */
  standalone: boolean;
}

export interface PgliteRows {
  rows: Record<string, unknown>[];
  affectedRows?: number;
}

/** An error as plain data, because an `Error` loses additional fields such as `code` when it is posted. */
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
