export type StoreErrorCode =
  | "data_folder_in_use"
  | "data_folder_incompatible"
  | "newer_tables"
  | "store_stopped"
  | "transaction_overdue"
  | "invalid_encryption_key";

/** The store could not do as asked. `code` is stable; `message` says what to change. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
