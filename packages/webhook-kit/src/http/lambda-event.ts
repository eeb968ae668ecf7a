/**
 * An invocation by an HTTP API or a function URL (payload 2.0), a REST API (1.0) or a load balancer: as much of it as is read.
 *
 * @inline
 */
export type LambdaEvent = {
  readonly body?: string | null | undefined;
  /** A gateway encodes what it takes for binary. */
  readonly isBase64Encoded: boolean;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null | undefined;
} & (
  | { readonly rawPath: string; readonly requestContext: { readonly http: { readonly method: string } } }
  | { readonly path: string; readonly httpMethod: string }
);

/**
 * What the gateway responds.
 *
 * @inline
 */
export type LambdaResult = {
  statusCode: number;
  body: string;
  isBase64Encoded: false;
} & ({ headers: Record<string, string> } | { multiValueHeaders: Record<string, string[]> });

/** Name, value, name, value: a header that was sent twice shows only in the lists, where there are any. */
export const rawHeadersOf = ({ headers, multiValueHeaders }: LambdaEvent): string[] =>
  Object.entries(multiValueHeaders ?? headers ?? {}).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value) => [name, value]),
  );

/** Percent-encoded, as it was sent: some gateways decode it. */
export function pathOf(event: LambdaEvent): string {
  const url = new URL("https://lambda.invalid");
  url.pathname = "rawPath" in event ? event.rawPath : event.path;
  return url.pathname;
}

export const methodOf = (event: LambdaEvent): string =>
  "rawPath" in event ? event.requestContext.http.method : event.httpMethod;

export const bodyOf = ({ body, isBase64Encoded }: LambdaEvent): Uint8Array =>
  Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
