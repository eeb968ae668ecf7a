import { isControlFlow } from "@offers/contract/foreign-objects";
import type { components, paths } from "@offers/contract/openapi";
import createClient, { type Client, type ClientOptions, type FetchOptions, type RequestOptions } from "openapi-fetch";
import { startCall } from "../call/call.ts";
import type { WithResponse } from "../call/offers-promise.ts";
import { operations } from "../call/operations.ts";
import type { AnyOffersError } from "../errors/error-classes.ts";
import { type CallContext, toOffersError, unreadableArgument } from "../errors/failure.ts";
import { throwUsageError } from "../errors/usage.ts";
import type { Offer } from "../offer.ts";
import type { CallOptions, OffersClientOptions } from "../options/options.ts";
import { type ClientSettings, readSettings } from "../options/settings.ts";

type Verb = "get" | "post";
/** The success statuses in the contract. */
type Success = 200 | 201 | 204;
type PathsOf<Method extends Verb> = {
  [Path in keyof paths]: [NonNullable<paths[Path][Method]>] extends [never] ? never : Path;
}[keyof paths];

type Options<Operation> = Omit<FetchOptions<Operation>, "parseAs" | "signal"> & Omit<CallOptions, "headers">;
type Init<Operation> = object extends Options<Operation> ? [init?: Options<Operation>] : [init: Options<Operation>];

/**
 * The data of a successful call. openapi-fetch's own type does not allow undocumented enum values, and it describes an offer as the service
 * sends it instead of as the client returns it.
 */
type Data<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & Success]: Responses[Status] extends {
        content: { "application/json": infer Body };
      }
        ? Body extends components["schemas"]["Offer"]
          ? Offer
          : Body
        : undefined;
    }[keyof Responses & Success]
  : never;
type OperationResult<Operation> = Promise<
  { response: Response } & ({ data: Data<Operation>; error?: never } | { data?: never; error: AnyOffersError })
>;
type TypedCall<Method extends Verb> = <Path extends PathsOf<Method>>(
  path: Path,
  ...init: Init<NonNullable<paths[Path][Method]>>
) => OperationResult<NonNullable<paths[Path][Method]>>;

/**
 * The client that {@link createOpenApiClient} returns: openapi-fetch's client with the paths of the service's API. The error of every
 * failed call is an `AnyOffersError`.
 *
 * @example
 * ```ts
 * import type { OpenApiClient } from "@offers/client/openapi-fetch";
 *
 * export const titleOf = async (api: OpenApiClient, id: string): Promise<string | undefined> =>
 *   (await api.GET("/offer/{id}", { params: { path: { id } } })).data?.title;
 * ```
 */
export interface OpenApiClient extends Pick<Client<paths>, "use" | "eject"> {
  /** Reads or withdraws an offer. */
  GET: TypedCall<"get">;
  /** Creates or completes an offer. */
  POST: TypedCall<"post">;
  /** Calls any operation; the method is the first argument. */
  request: <Method extends Verb, Path extends PathsOf<Method>>(
    method: Method,
    path: Path,
    ...init: Init<NonNullable<paths[Path][Method]>>
  ) => OperationResult<NonNullable<paths[Path][Method]>>;
}

type RawInit = CallOptions & { params?: { path?: { id?: unknown } } };
type LibraryRequest = (
  method: string,
  path: string,
  init?: RawInit & { fetch?: SendRequest },
) => Promise<{ response: Response }>;
type SendRequest = (request: Request) => Promise<Response>;

/**
 * Creates an openapi-fetch client for the service's API. Its requests use this package's transport, with the same key, timeouts, retries
 * and checks. A call never throws: every failure, even one without a response, is returned as `error`, an `AnyOffersError`. `response` then
 * contains only the status, or 0 if there was no response; `error` contains everything else. Pass call options (`timeoutMs`, `maxRetries`,
 * …) next to `params`.
 *
 * `baseUrl`, `fetch`, `redirect` and `api-version` cannot be set per call. The values in `options` always apply.
 *
 * @throws {UsageError} for an invalid option; the message says what to change
 * @example
 * ```ts
 * import { createOpenApiClient } from "@offers/client/openapi-fetch";
 *
 * const api = createOpenApiClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "" });
 * const { data, error } = await api.GET("/offer/{id}", { params: { path: { id: "offer_4f1c2a" } }, timeoutMs: 2_000 });
 * if (error) console.error(error.status === 404 ? "no such offer" : error.message);
 * else console.log(data.title);
 * ```
 */
export function createOpenApiClient(options: OffersClientOptions): OpenApiClient {
  const settings = readSettings(options);
  const { use, eject, ...client } = createClient({ baseUrl: String(options.baseUrl) });
  // The library's types allow only known methods and paths. `send` rejects all others.
  const sendRaw = client.request as never as LibraryRequest;
  const callOperation = async (method: string, path: string, init: RawInit = {}) => {
    const operation = operations.find(
      (candidate) => candidate.method === method.toUpperCase() && candidate.path === path,
    );
    const call: CallContext = { operation: operation?.name };
    const send: SendRequest = async (request) => {
      if (!operation) throwUsageError(`the contract has no operation ${method} ${path}`, "invalid_argument");
      const { "idempotency-key": idempotencyKey, ...headers } = Object.fromEntries(request.headers);
      const callOptions = { ...toCallOptions(init, settings), headers, ...(idempotencyKey && { idempotencyKey }) };
      const body = await readJson(request);
      const result = await startCall(settings, operation, init.params?.path?.id, body, callOptions).safe();
      if (result.ok) return toResponse(result);
      call.attemptError = result.error;
      throw result.error;
    };
    try {
      // Without the signal, because openapi-fetch would not remove its listener from it.
      return await sendRaw(method, path, { ...init, signal: undefined, fetch: send });
    } catch (thrown) {
      // Thrown by `send`, or by openapi-fetch, its middleware or a serializer.
      const error = toOffersError(thrown, call, unreadableArgument);
      if (isControlFlow(error)) throw error;
      const { status = 0 } = error;
      // The constructor of `Response` rejects a status below 200 or above 599.
      return { error, response: status > 199 && status < 600 ? new Response(null, { status }) : Response.error() };
    }
  };
  return {
    GET: (path: string, init?: RawInit) => callOperation("GET", path, init),
    POST: (path: string, init?: RawInit) => callOperation("POST", path, init),
    request: callOperation,
    use,
    eject,
  } as never as OpenApiClient;
}

/** Parses the body. The result has the type `never`, so that every operation accepts it. */
async function readJson(request: Request): Promise<never> {
  const text = await request.text();
  try {
    return (text ? JSON.parse(text) : undefined) as never;
  } catch {
    // The parser's error is dropped, because it may quote the body (D-49).
    throwUsageError("the body must be JSON: omit bodySerializer, or return JSON from it", "invalid_argument");
  }
}

/**
 * Options that openapi-fetch reads or passes to a `Request`. This package's transport ignores them (D-66). An object instead of a list, so
 * that the compiler reports a missing option.
 */
const ignoredOptions: Record<
  Exclude<keyof RequestOptions<unknown> | keyof RequestInit | keyof ClientOptions | "params", "signal">,
  0
> & { dispatcher: 0; duplex: 0 } = {
  // An undici option, available only in Node.
  dispatcher: 0,
  duplex: 0,
  params: 0,
  baseUrl: 0,
  querySerializer: 0,
  bodySerializer: 0,
  pathSerializer: 0,
  parseAs: 0,
  fetch: 0,
  headers: 0,
  middleware: 0,
  Request: 0,
  requestInitExt: 0,
  body: 0,
  cache: 0,
  credentials: 0,
  integrity: 0,
  keepalive: 0,
  method: 0,
  mode: 0,
  priority: 0,
  redirect: 0,
  referrer: 0,
  referrerPolicy: 0,
  window: 0,
};

/** Returns this package's call options, including unknown ones, which the client then rejects. */
const toCallOptions = (init: object, settings: ClientSettings): CallOptions =>
  Object.fromEntries(
    Object.entries(init).filter(([name]) => name in settings.call || !Object.hasOwn(ignoredOptions, name)),
  );

/** Headers that describe the received body. They do not apply to the body that `toResponse` creates. */
const bodyHeaders = ["content-encoding", "content-length", "content-type", "transfer-encoding"];

/** Creates a response that openapi-fetch can read: the client's data as JSON, with the received status and headers. */
function toResponse({ data, response }: WithResponse<unknown>): Response {
  const { status, headers: receivedHeaders } = response;
  // A custom `fetch` may return headers that are not iterable.
  const headers = new Headers(Symbol.iterator in receivedHeaders ? (receivedHeaders as Headers) : undefined);
  for (const name of bodyHeaders) headers.delete(name);
  if (data === undefined) return new Response(null, { status, headers });
  return Response.json(data, { status, headers });
}
