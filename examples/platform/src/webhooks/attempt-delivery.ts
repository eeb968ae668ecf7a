import { serverAttributes } from "@offers/contract/telemetry-conventions";
import { type Selectable, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { fillPath } from "../endpoint-client/create-endpoint-client.ts";
import type { EndpointClient, EndpointFailureCode, EndpointResult, Sign } from "../endpoint-client/endpoint-client.ts";
import { sendSigned, type Webhook } from "../endpoint-client/send-signed.ts";
import { truncateUtf8 } from "../http/fields.ts";
import type { Lease } from "../outbox/queue.ts";
import { decryptSecrets } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { EventTable } from "../store/tables.ts";
import { type TraceHeaders, traceAttempt } from "../tracing/tracing.ts";

/** Why an attempt was not acknowledged. Stable, because it is stored with the attempt. */
export type AttemptFailureCode = EndpointFailureCode | "not_acknowledged" | "not_implemented" | "internal_error";

/** The result of one attempt. */
export interface Attempt {
  number: number;
  method: "GET" | "POST";
  /** A template such as `/contact/new/{workerId}`. Logs never contain the filled path. */
  path: string;
  /** The path with its parameters filled in. */
  filledPath: string;
  startedAt: Date;
  durationMs: number;
  /** The response status; absent if there was no response. */
  status?: number;
  /** Why the attempt failed; absent if the endpoint acknowledged it. */
  failure?: AttemptFailureCode;
  retryAfterMs?: number;
  contentType?: string;
  /** The start of the response body; absent if there was no response. */
  response?: string;
  exchange?: AttemptExchange;
}

/** The base URL, and the headers of the request and the response, without signatures and secrets. For the portal, never for logs. */
export interface AttemptExchange {
  baseAddress: string;
  sent: Record<string, string>;
  received?: Record<string, string>;
}

export interface AttemptContext {
  endpointClient: EndpointClient;
  sign: Sign;
  encryptionKey: Uint8Array;
  timeoutMs: number;
  /** Aborts the attempt before its deadline. */
  signal?: AbortSignal | undefined;
  /** Returns whether the delivery is still leased to this process. */
  isLeased?: () => boolean;
  now: () => Date;
  onError: (error: unknown) => void;
}

/**
 * Makes one attempt to deliver, in a child span of the event's span. Never rejects, because an error in the platform itself counts as a
 * failed attempt, which is retried.
 */
export function attemptDelivery(context: AttemptContext, delivery: PendingDelivery): Promise<Attempt> {
  const { type, data, trace, attempts } = delivery;
  const call = createWebhookCall(type, data);
  const { method, path } = call;
  const attributes = {
    "http.request.method": method,
    "url.template": path,
    ...(URL.canParse(delivery.base_address) && serverAttributes(delivery.base_address)),
    ...(attempts > 0 && { "http.request.resend_count": attempts }),
  };
  return traceAttempt(
    `${method} ${path}`,
    trace,
    attributes,
    (headers) => callEndpoint(context, delivery, call, headers),
    toSpanAttributes,
  );
}

const toSpanAttributes = ({ status, failure }: Attempt) => ({
  ...(status !== undefined && { "http.response.status_code": status }),
  ...(failure !== undefined && { "error.type": failure === "not_acknowledged" ? `${status}` : failure }),
});

async function callEndpoint(
  context: AttemptContext,
  delivery: PendingDelivery,
  { method, path, parameters, body }: WebhookCall,
  traceHeaders: TraceHeaders,
): Promise<Attempt> {
  const { endpointClient, sign, encryptionKey, timeoutMs, signal, isLeased } = context;
  const startedAt = context.now();
  const attemptFields = { number: delivery.attempts + 1, method, path, filledPath: path, startedAt };
  const { base_address: baseAddress, scheme } = delivery;
  try {
    const filledPath = fillPath(path, parameters);
    // The base URL and the secrets were read together, so they match even if the profile has changed since.
    const secrets = decryptSecrets(delivery, encryptionKey, delivery.organisation_id, startedAt);
    const endpoint = { baseAddress, scheme, ...secrets };
    const result = await sendSigned(endpointClient, sign, endpoint, {
      id: delivery.id,
      method,
      path,
      parameters,
      timeoutMs,
      signal,
      mayStart: isLeased,
      headers: { "offers-delivery-id": delivery.id, ...traceHeaders },
      ...(body !== undefined && { body }),
    });
    return { ...attemptFields, filledPath, exchange: toExchange(baseAddress, result), ...classifyResult(result) };
  } catch (error) {
    context.onError(error);
    return { ...attemptFields, durationMs: 0, failure: "internal_error" };
  }
}

const toExchange = (baseAddress: string, result: EndpointResult): AttemptExchange => ({
  baseAddress,
  sent: result.sentHeaders ?? {},
  ...(result.ok && result.headers && { received: result.headers }),
});

type ClassifiedResult = Pick<
  Attempt,
  "durationMs" | "status" | "failure" | "retryAfterMs" | "contentType" | "response"
>;

/** Classifies the result of an attempt. Only 200 acknowledges a delivery (D-13), because the contract defines no other status. */
function classifyResult(result: EndpointResult): ClassifiedResult {
  const { durationMs } = result;
  if (!result.ok) return { durationMs, failure: result.code };
  const { status, retryAfterMs, contentType } = result;
  const responseFields = {
    durationMs,
    status,
    response: truncateUtf8(result.body, maxStoredResponseBytes),
    ...(contentType !== undefined && {
      contentType: truncateUtf8(Buffer.from(contentType), maxStoredContentTypeBytes),
    }),
  };
  if (status === 200) return responseFields;
  return { ...responseFields, failure: "not_acknowledged", ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** The maximum number of bytes of a response body to store for the portal. */
const maxStoredResponseBytes = 4_096;
const maxStoredContentTypeBytes = 200;

/** A due delivery and everything that an attempt needs. */
export type PendingDelivery = Awaited<ReturnType<typeof readDeliveries>>[number];

/** Loads claimed deliveries, except deliveries to endpoints that have been disabled or paused since the claim. */
export async function loadDeliveries(
  store: Store,
  leases: readonly Lease[],
  now: Date,
): Promise<Map<number, PendingDelivery>> {
  const rows = await readDeliveries(store, leases);
  const attemptableRows = rows.filter(({ breaker_open_until: openUntil }) => openUntil === null || openUntil <= now);
  return new Map(attemptableRows.map((row) => [row.sequence, row]));
}

/** Reads claimed deliveries as one JSON string, because PGlite takes longer to return many columns than to find the rows. */
async function readDeliveries({ db }: Store, leases: readonly Lease[]) {
  const deliveriesQuery = db
    .selectFrom("deliveries")
    .innerJoin("events", "events.id", "deliveries.event_id")
    .innerJoin("endpoints", "endpoints.organisation_id", "deliveries.organisation_id")
    .select([
      "deliveries.id",
      "deliveries.sequence",
      "deliveries.event_id",
      "deliveries.organisation_id",
      "deliveries.order_key",
      "deliveries.attempts",
      "events.type",
      "events.data",
      "events.created_at as event_created_at",
      "events.trace",
      "endpoints.base_address",
      "endpoints.encrypted_secret",
      "endpoints.previous_encrypted_secret",
      "endpoints.previous_secret_until",
      "endpoints.scheme",
      "endpoints.breaker_open_until",
      "endpoints.has_acknowledged_contact",
    ])
    .where(sql<boolean>`(deliveries.organisation_id, deliveries.sequence) in (
      select lane, "rowId" from json_to_recordset(${JSON.stringify(leases)}::text::json) as lease (lane text, "rowId" int8))`)
    .where("endpoints.disabled_at", "is", null);
  const { rows } = await db.selectNoFrom(jsonArrayFrom(deliveriesQuery).as("rows")).executeTakeFirstOrThrow();
  return rows.map((row) => ({
    ...row,
    event_created_at: new Date(row.event_created_at),
    previous_secret_until: toDate(row.previous_secret_until),
    breaker_open_until: toDate(row.breaker_open_until),
  }));
}

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The request for a webhook. Its path is a template, because logs must not contain the filled path. */
export type WebhookCall = Webhook & {
  parameters: Record<string, string>;
  body?: Record<string, string>;
};

/** Builds the webhook request for an event, with the path and payload that the contract defines. */
export function createWebhookCall(type: Selectable<EventTable>["type"], data: Record<string, string>): WebhookCall {
  switch (type) {
    case "workerOfferResponse":
      return { method: "POST", path: "/offer/response", parameters: {}, body: data };
    case "workerAddedContact":
      return { method: "GET", path: "/contact/new/{workerId}", parameters: data };
  }
}
