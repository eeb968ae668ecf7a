/** A body: its bytes, or the value that a parser produced. */
export type ReceivedBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "parsed"; readonly value: unknown };

/** A request from any framework. */
export interface IncomingRequest<Incoming> {
  readonly method: string;
  /** The path below the mount path, percent-encoded, without the query. */
  readonly path: string;
  /** The request target as sent, including the mount path and the query. */
  readonly target: string;
  /** Node's flat list: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  /** The framework's request. */
  readonly request: Incoming;
  /**
   * Called at most once, and only after the headers are verified unless the scheme signs the body.
   *
   * @param timeoutMs how long the body may take to arrive
   * @throws {Rejected} (or rejects) `body_too_large`, `body_timeout`, `body_incomplete`
   * @throws {ConfigurationError} (or rejects) `body_already_consumed`
   */
  readBody(maxBytes: number, timeoutMs: number): ReceivedBody | Promise<ReceivedBody>;
}

/** The value of a header that was sent more than once. There is no way to know which of its values a proxy used. */
export const duplicated: unique symbol = Symbol("duplicated header");

type HeaderValue = string | undefined | typeof duplicated;

/**
 * Finds one header's value in Node's `rawHeaders`: name, value, name, value. Node's own `headers` keeps only the first of two
 * `Authorization` headers, which would hide the second.
 */
export function findHeader(rawHeaders: readonly string[], lowerCaseName: string): HeaderValue {
  let value: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue;
    if (value !== undefined) return duplicated;
    value = rawHeaders[index + 1];
  }
  return value;
}

const hasComma = (text: string): boolean => text.includes(",");

/** Like {@link findHeader}, but also returns `duplicated` for two headers that a runtime joined with a comma. */
export function findSingleHeader(
  rawHeaders: readonly string[],
  lowerCaseName: string,
  isJoined: (text: string) => boolean = hasComma,
): HeaderValue {
  const value = findHeader(rawHeaders, lowerCaseName);
  return typeof value === "string" && isJoined(value) ? duplicated : value;
}

/** Finds the `Offers-Delivery-Id` header, which no signature covers. */
export function findDeliveryId(rawHeaders: readonly string[]): string | undefined {
  const id = findSingleHeader(rawHeaders, "offers-delivery-id");
  return id === duplicated || id === "" ? undefined : id;
}
