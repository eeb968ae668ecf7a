import { maxReadBytes as defaultMaxReadBytes } from "@offers/contract/decisions";
import { retryAfterMs } from "@offers/contract/retry-after";
import { Agent, type Dispatcher } from "undici";
import { connectTimeoutMs as defaultConnectTimeoutMs, maxSentBytes } from "../generated/decisions.ts";
import type {
  EndpointClient,
  EndpointFailure,
  EndpointRequest,
  EndpointResponse,
  EndpointResult,
} from "./endpoint-client.ts";
import { classifyError, EndpointError } from "./failures.ts";
import { createEchoMask, redactSignatures } from "./mask-echoes.ts";
import {
  createGuardedConnector,
  createNameResolver,
  type GuardedConnectorOptions,
  isOwnAddress,
} from "./ssrf-guard.ts";

/** Every option has a default. */
export type EndpointClientOptions = Partial<GuardedConnectorOptions>;

/**
 * Creates the HTTP client for integrators' endpoints, behind the SSRF guard. It returns redirects like any other response, because
 * undici follows redirects only with its redirect interceptor, which this agent does not use.
 */
export function createEndpointClient({
  connectTimeoutMs = defaultConnectTimeoutMs,
  ...guard
}: EndpointClientOptions = {}): EndpointClient {
  // Half of the time limit, because each name server is queried up to twice.
  const resolve = createNameResolver({ timeoutMs: connectTimeoutMs / 2 });
  const agent = new Agent({
    connect: createGuardedConnector({ allowLoopback: false, connectTimeoutMs, resolve, isOwnAddress, ...guard }),
    // Disabled, because the deadline of the attempt covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    send: (request) => send(agent, request),
    close: () => agent.destroy(),
  };
}

/** Sends a request. Errors that the receiver or the network may have caused become failures, and all other errors are thrown. */
async function send(agent: Agent, request: EndpointRequest): Promise<EndpointResult> {
  const startedAtMs = performance.now();
  let headers: Record<string, string> | undefined;
  const toResult = (outcome: Outcome): EndpointResult => ({
    ...maskOutcome(outcome, request),
    durationMs: Math.round(performance.now() - startedAtMs),
    ...(headers && { sentHeaders: redactSignatures(headers) }),
  });
  try {
    const body = encodeBody(request);
    const { method, baseAddress, path, parameters, raw, maxReadBytes = defaultMaxReadBytes } = request;
    const url = request.isCompleteUrl ? parseHttpUrl(baseAddress) : joinUrl(baseAddress, path, parameters);
    headers = createHeaders(request, body);
    const { origin, pathname, search } = url;
    const options = { origin, path: pathname + search, method, headers: raw?.headers.flat() ?? headers, body };
    return toResult(await exchange(agent, options, { ...request, maxReadBytes }));
  } catch (error) {
    return toResult({ ok: false, ...classifyError(error) });
  }
}

/** Returns the bytes of the request body; null if there is no body. @throws {EndpointError} `request_too_large` */
function encodeBody({ raw, body }: EndpointRequest): Buffer | null {
  const content = raw?.body ?? (body === undefined ? null : Buffer.from(JSON.stringify(body)));
  if (content !== null && content.length > maxSentBytes)
    throw new EndpointError("request_too_large", `the body has ${content.length} bytes; the limit is ${maxSentBytes}`);
  return content;
}

/** Creates the request headers, including the signature if the request has a `sign` function. */
const createHeaders = ({ headers, sign }: EndpointRequest, body: Buffer | null): Record<string, string> => ({
  accept: "application/json",
  // The client does not decompress bodies before it masks and shows them.
  "accept-encoding": "identity",
  "user-agent": "offers-platform",
  ...(body !== null && { "content-type": "application/json" }),
  ...headers,
  ...sign?.(body ?? new Uint8Array()),
});

/** Masks signatures and secrets in every field of a response that is stored, shown or logged (D-49). */
function maskOutcome(outcome: Outcome, { confidential }: EndpointRequest): Outcome {
  if (!outcome.ok || confidential === undefined) return outcome;
  const { body, contentType, contentEncoding, location, headers, truncated } = outcome;
  const mask = createEchoMask(confidential);
  // undici decodes headers as Latin-1, so this restores their bytes. A header of the maximum length may have been truncated.
  const maskHeader = (header: string) =>
    mask(Buffer.from(header, "latin1"), header.length >= maxHeaderLength).toString("latin1");
  return {
    ...outcome,
    body: mask(body, truncated),
    ...(contentType && { contentType: maskHeader(contentType) }),
    ...(contentEncoding && { contentEncoding: maskHeader(contentEncoding) }),
    ...(location && { location: maskHeader(location) }),
    ...(headers && {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, maskHeader(value)])),
    }),
  };
}

type CallField = "durationMs" | "sentHeaders";
type ReceivedResponse = Omit<EndpointResponse, CallField>;
type Outcome = ReceivedResponse | Omit<EndpointFailure, CallField>;

interface ExchangeOptions extends Pick<EndpointRequest, "timeoutMs" | "signal" | "mayStart"> {
  maxReadBytes: number;
}

/** The maximum number of 1xx responses. Parsing an endless sequence of them would block all other attempts. */
const maxInformationalResponses = 64;

/** Sends one request and receives its response. Uses an undici handler, which needs less CPU than `undici.request`. */
function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(options, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: ReceivedResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #error: EndpointError | undefined;
  #informationalResponseCount = 0;
  #response: Omit<ReceivedResponse, "body" | "truncated"> = { ok: true, status: 0 };
  readonly #chunks: Buffer[] = [];
  #receivedBytes = 0;

  constructor(options: ExchangeOptions, resolve: (response: ReceivedResponse) => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { timeoutMs, signal } = options;
    const onTimeout = (): void =>
      this.#fail(new EndpointError("timeout", `no complete response within ${timeoutMs} ms`));
    this.#deadline = setTimeout(onTimeout, timeoutMs);
    signal?.addEventListener("abort", this);
    if (signal?.aborted) this.handleEvent();
  }

  /** Called when `signal` is aborted. */
  handleEvent(): void {
    this.#fail(new EndpointError("aborted", "the platform stopped before the response was complete"));
  }

  /**
   * Called once a connection is available, just before the request is sent. If this process stalled while waiting for the connection,
   * another process may already have sent this request and later requests.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
    else if (this.#options.mayStart?.() === false) this.#fail(new EndpointError("aborted", "the lease has expired"));
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) {
      this.#informationalResponseCount += 1;
      if (this.#informationalResponseCount > maxInformationalResponses)
        this.#fail(
          new EndpointError("protocol_error", `more than ${maxInformationalResponses} informational responses`),
        );
      return;
    }
    const {
      "content-type": contentType,
      "content-encoding": contentEncoding,
      "retry-after": retryAfter,
      location,
      date,
    } = headers;
    const retryDelayMs = retryAfterMs(retryAfter, Date.now(), date);
    this.#response = {
      ok: true,
      status,
      headers: truncateHeaders(headers),
      ...(typeof contentType === "string" && { contentType }),
      ...(typeof contentEncoding === "string" && { contentEncoding }),
      ...(retryDelayMs !== undefined && { retryAfterMs: retryDelayMs }),
      ...(status >= 300 && status < 400 && typeof location === "string" && { location }),
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes <= this.#options.maxReadBytes) return;
    this.#complete(true);
    controller.abort(new Error("the read limit was reached"));
  }

  onResponseEnd(): void {
    this.#complete(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#close();
    this.#reject(error);
  }

  #complete(truncated: boolean): void {
    this.#close();
    const body = Buffer.concat(this.#chunks).subarray(0, this.#options.maxReadBytes);
    this.#resolve({ ...this.#response, body, truncated });
  }

  /** Ends the exchange with an error. undici cannot abort while it is connecting, so `onRequestStart` aborts later. */
  #fail(error: EndpointError): void {
    this.#error ??= error;
    this.#controller?.abort(error);
    this.#close();
    this.#reject(error);
  }

  #close(): void {
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this);
  }
}

/** The maximum number of response headers that are returned. A receiver may send any number of headers. */
const maxHeaders = 32;
const maxHeaderLength = 256;

const truncateHeaders = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, maxHeaders)
      .map(([name, value]) => [name.slice(0, maxHeaderLength), String(value).slice(0, maxHeaderLength)]),
  );

/**
 * Appends the path of an operation to an integrator's base URL (D-41).
 *
 * @param baseAddress may include a path prefix, with or without a trailing slash, such as `https://example.com/someprefix/`
 * @param path a template such as `/contact/new/{workerId}`
 * @throws {EndpointError} `invalid_address`
 */
export function joinUrl(baseAddress: string, path: string, parameters: Record<string, string> = {}): URL {
  const base = parseHttpUrl(baseAddress);
  // Search the string, because `URL` removes a bare "?" or "#".
  if (/[?#]/.test(baseAddress)) throw invalidAddress('the base URL must not contain "?" or "#"');
  base.pathname = base.pathname.replace(/\/+$/, "") + fillPath(path, parameters);
  return base;
}

/**
 * Parses an http or https URL, which may have a query.
 *
 * @throws {EndpointError} `invalid_address` for any other string, and for a URL with a user name or password
 */
export function parseHttpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null && /^https?:/i.test(text))
    throw invalidAddress("the base URL is not a valid URL: check its host name and its port (1 to 65535)");
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw invalidAddress("the base URL must start with https:// or http://");
  if (url.username !== "" || url.password !== "")
    throw invalidAddress("the base URL must not contain a user name or password");
  return url;
}

/**
 * Fills in the parameters of a path template, percent-encoded.
 *
 * @throws {EndpointError} `invalid_address` if a parameter is missing or is not valid in a path
 */
export function fillPath(path: string, parameters: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
}

function encodeSegment(name: string, value: string | undefined): string {
  // The URL parser would remove "." and "..", even percent-encoded. `encodeURIComponent` would throw for a lone surrogate.
  if (value === undefined || value === "" || value === "." || value === ".." || /\p{Surrogate}/u.test(value))
    throw invalidAddress(`the value of "${name}" cannot be part of a path`);
  return encodeURIComponent(value);
}

const invalidAddress = (message: string): EndpointError => new EndpointError("invalid_address", message);
