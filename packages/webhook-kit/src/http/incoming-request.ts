/** A body: its bytes, or what a parser in front made of them. */
export type ReceivedBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "parsed"; readonly value: unknown };

/** A request, whatever the framework. */
export interface IncomingRequest<Incoming> {
  readonly method: string;
  /** Below the mount path, percent-encoded, without query. */
  readonly path: string;
  /** As sent, mount path and query included. */
  readonly target: string;
  /** Node's flat list: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  /** The framework's own request. */
  readonly request: Incoming;
  /**
   * Called at most once, and after the headers are verified unless the scheme signs the body.
   *
   * @param timeoutMs how long the body may take to arrive (D-17)
   * @throws {Rejected} (rejects) `body_too_large`, `body_timeout`, `body_incomplete`
   * @throws {ConfigurationError} (rejects) `body_already_consumed`
   */
  readBody(maxBytes: number, timeoutMs: number): Promise<ReceivedBody>;
}
