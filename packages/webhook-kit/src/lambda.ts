/**
 * `@offers/webhook-kit/lambda`: the receiver as an AWS Lambda function.
 *
 * @module lambda
 */
import { ConfigurationError } from "./errors/errors.ts";
import { readBasePath, type StripBasePath } from "./http/base-path.ts";
import { wrapBytes } from "./http/body.ts";
import type { IncomingRequest } from "./http/request.ts";
import type { ReceiverOptions } from "./options/options.ts";
import { receive } from "./receive/receive.ts";
import { startReceiver } from "./receive/settings.ts";

export type { ReceiverOptions };

/**
 * Creates a Lambda function that serves the webhook endpoints, behind an HTTP API or a function URL (payload 2.0), a REST API (1.0) or a
 * load balancer. Bodies may be base64-encoded. For any other event, such as one from SQS, the returned promise rejects, because a response
 * would acknowledge the event.
 *
 * @param options.basePath the mount path, such as `/offers`; with an HTTP API it starts with the stage, unless that is `$default`. Default
 * `/`
 * @throws {ConfigurationError} for an invalid secret or option; the function rejects with `wrong_request_type`
 *
 * @example
 * ```ts
 * import { webhookFunction } from "@offers/webhook-kit/lambda";
 *
 * export const handler = webhookFunction({
 *   basePath: "/offers",
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 * });
 * ```
 */
export function webhookFunction<Event extends LambdaEvent = LambdaEvent>(
  options: ReceiverOptions<Event> & {
    /** The mount path, such as `/offers`; with an HTTP API it starts with the stage, unless that is `$default`. @default "/" */
    basePath?: string | undefined;
  },
): (event: Event) => Promise<LambdaResult> {
  const settings = startReceiver<Event>(options);
  const stripBasePath = readBasePath(options.basePath ?? "/");
  return async (event) => {
    requireHttpEvent(event);
    const incoming = toIncomingRequest(event, stripBasePath);
    const { status, headers, body } =
      (await receive(settings, incoming)) ?? settings.observer.rejectUnknownPath(incoming.target, stripBasePath);
    const headerLists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    return {
      statusCode: status,
      body: incoming.method === "HEAD" ? "" : body,
      isBase64Encoded: false,
      // A gateway that sends header lists expects lists in the response.
      ...(event.multiValueHeaders
        ? { multiValueHeaders: Object.fromEntries(headerLists) }
        : { headers: { ...headers } }),
    };
  };
}

/** @throws {ConfigurationError} `wrong_request_type` */
function requireHttpEvent(event: unknown): void {
  const { rawPath, requestContext, path, httpMethod, Records } = Object(event);
  const requiredStrings = rawPath === undefined ? [path, httpMethod] : [rawPath, requestContext?.http?.method];
  if (requiredStrings.every((value) => typeof value === "string")) return;
  const received = Records
    ? "an event with Records, such as one from a queue or a stream"
    : "an event of a different type";
  throw new ConfigurationError(
    "wrong_request_type",
    `webhookFunction handles requests from an HTTP API, a function URL, a REST API or a load balancer; it received ${received}. Is another trigger connected to this function? Give that trigger its own function, because a response from this function would acknowledge the event.`,
  );
}

function toIncomingRequest<Event extends LambdaEvent>(
  event: Event,
  stripBasePath: StripBasePath,
): IncomingRequest<Event> {
  const path = getPath(event);
  return {
    method: getMethod(event),
    path: stripBasePath(path),
    target: path,
    rawHeaders: getRawHeaders(event),
    request: event,
    readBody: async (maxBytes) => wrapBytes(decodeBody(event), maxBytes),
  };
}

/**
 * The parts of an event that the kit reads: from an HTTP API or a function URL (payload 2.0), a REST API (1.0) or a load balancer.
 *
 * @inline
 */
type LambdaEvent = {
  readonly body?: string | null | undefined;
  /** Whether `body` is base64: gateways encode bodies that they consider binary. */
  readonly isBase64Encoded: boolean;
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, string[] | undefined>> | null | undefined;
} & (
  | { readonly rawPath: string; readonly requestContext: { readonly http: { readonly method: string } } }
  | { readonly path: string; readonly httpMethod: string }
);

/**
 * The response for the gateway.
 *
 * @inline
 */
type LambdaResult = {
  statusCode: number;
  body: string;
  isBase64Encoded: false;
} & ({ headers: Record<string, string> } | { multiValueHeaders: Record<string, string[]> });

/**
 * Returns the headers as name, value, name, value. Only `multiValueHeaders`, which some gateways omit, shows that a header was sent twice.
 */
const getRawHeaders = ({ headers, multiValueHeaders }: LambdaEvent): string[] =>
  Object.entries(multiValueHeaders ?? headers ?? {}).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value) => [name, value]),
  );

/** Returns the path, percent-encoded as on the wire, because some gateways decode it. */
function getPath(event: LambdaEvent): string {
  const url = new URL("https://lambda.invalid");
  url.pathname = "rawPath" in event ? event.rawPath : event.path;
  return url.pathname;
}

const getMethod = (event: LambdaEvent): string =>
  "rawPath" in event ? event.requestContext.http.method : event.httpMethod;

const decodeBody = ({ body, isBase64Encoded }: LambdaEvent): Uint8Array =>
  Buffer.from(body ?? "", isBase64Encoded ? "base64" : "utf8");
