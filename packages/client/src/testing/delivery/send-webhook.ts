import { attemptTimeoutMs, maxReadBytes } from "@offers/contract/decisions";
import { retryAfterMs } from "@offers/contract/retry-after";
import type { Endpoint, EndpointRequest, SignOptions } from "./open-endpoint.ts";
import type { TestClock } from "./test-clock.ts";
import type { ReceivedOutcome } from "./webhook-outcome.ts";

/** A request that the service sends to a receiver. */
export interface Webhook {
  readonly method: "GET" | "POST";
  /** The path below the base URL. */
  readonly path: string;
  readonly body?: object;
  /** The id of a delivery; undefined for requests that are not deliveries. */
  readonly deliveryId?: string;
}

/** Builds the request with its headers and body. Signs it unless `options` is `unsigned`. */
export async function prepareWebhook(
  endpoint: Endpoint,
  { method, path, body, deliveryId }: Webhook,
  options?: SignOptions | "unsigned",
): Promise<EndpointRequest> {
  const bytes = body && new TextEncoder().encode(JSON.stringify(body));
  const id = deliveryId ?? crypto.randomUUID();
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    "user-agent": "offers-platform",
    ...(bytes && { "content-type": "application/json" }),
    ...(deliveryId && { "offers-delivery-id": deliveryId }),
    ...(options !== "unsigned" && (await endpoint.sign(id, bytes ?? new Uint8Array(), options))),
  };
  return { method, url: endpoint.baseUrl + path, headers, ...(bytes && { body: bytes }) };
}

export interface SendLimits {
  /** The time limit, on the test's clock. @default the limit for a delivery (D-25) */
  timeoutMs?: number;
  /** How many bytes of the response body to read. @default the limit for an acknowledgement (D-24) */
  maxBytes?: number;
}

/** Sends the request once. Resolves even if the receiver fails or does not respond in time. */
export async function sendRequest(
  endpoint: Endpoint,
  clock: TestClock,
  request: EndpointRequest,
  { timeoutMs = attemptTimeoutMs, maxBytes = maxReadBytes }: SendLimits = {},
): Promise<ReceivedOutcome> {
  let removeAlarm = (): void => {};
  const timeout = new Promise<ReceivedOutcome>((resolve) => {
    removeAlarm = clock.setAlarm(clock.ms + timeoutMs, () => resolve({ failure: "timeout" }));
  });
  try {
    return await Promise.race([sendAndRead(endpoint, clock, request, maxBytes), timeout]);
  } finally {
    removeAlarm();
  }
}

async function sendAndRead(
  endpoint: Endpoint,
  clock: TestClock,
  request: EndpointRequest,
  maxBytes: number,
): Promise<ReceivedOutcome> {
  try {
    const response = await endpoint.call(request);
    const { status, headers } = response;
    const delayMs = retryAfterMs(headers.get("retry-after"), clock.ms);
    const outcome = { status, ...(await readBody(response, maxBytes)) };
    if (status === 200) return outcome;
    return {
      ...outcome,
      failure: "not_acknowledged",
      ...(delayMs !== undefined && { retryAfterMs: delayMs }),
    };
  } catch (error) {
    return { failure: classifyFailure(error), error };
  }
}

/** Classifies what `fetch` or a handler threw. */
function classifyFailure(error: unknown): "connection_refused" | "name_not_found" | "connection_lost" {
  // Node's `fetch` reports the system error as the cause.
  const code = (error as { cause?: { code?: unknown } } | undefined)?.cause?.code;
  if (code === "ECONNREFUSED") return "connection_refused";
  return code === "ENOTFOUND" ? "name_not_found" : "connection_lost";
}

/** Reads the body. If it is longer than `maxBytes`, returns only its first `maxBytes` and cancels it. */
async function readBody(response: Response, maxBytes: number): Promise<{ body: Uint8Array; isTruncated: boolean }> {
  const chunks: Uint8Array[] = [];
  const reader = response.body?.getReader();
  let length = 0;
  while (length <= maxBytes) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return { body: joinChunks(chunks, length), isTruncated: false };
    chunks.push(value);
    length += value.length;
  }
  await reader?.cancel();
  return { body: joinChunks(chunks, maxBytes), isTruncated: true };
}

/** Joins the chunks, and cuts off everything after `length` bytes. */
function joinChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const body = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    body.set(chunk.subarray(0, length - offset), offset);
    offset += chunk.length;
  }
  return body;
}
