import { toUtc } from "@offers/contract/date-time";
import { readTraceContext } from "@offers/contract/trace-context";
import { InvalidEventError } from "../errors/errors.ts";
import { eventEndpoints } from "./endpoints.ts";
import type { TraceContext, WebhookEvent } from "./events.ts";
import { describeIssues, type Issue, type Schema, validate } from "./json-schema.ts";
import { readTolerantly } from "./tolerant-reader.ts";

/** The members whose schema does not depend on the event's type. */
const envelope: Schema = {
  type: "object",
  required: ["receivedAt"],
  properties: {
    receivedAt: { type: "string", format: "date-time" },
    source: { type: "string", enum: ["reconciled", "feed"] },
    deduplicationKey: { type: "string", minLength: 1 },
    unverifiedDeliveryId: { type: "string" },
  },
};

/**
 * Validates a message from a queue, for a worker that did not verify the request itself. Unknown fields are kept. The queue must be
 * trusted, because an event has no signature to verify again. `data` is read like a webhook payload.
 *
 * @param value a {@link WebhookEvent} after `JSON.parse`
 * @throws {InvalidEventError} `invalid_event`, with the fields but not their values
 *
 * @example
 * ```ts
 * import { parseWebhookEvent } from "@offers/webhook-kit";
 *
 * export function handle(message: { body: string }): void {
 *   const event = parseWebhookEvent(JSON.parse(message.body));
 *   if (event.type === "WorkerOfferResponse") console.log(event.data.offerId, event.data.response);
 * }
 * ```
 */
export function parseWebhookEvent(value: unknown): WebhookEvent {
  const { data: members, issues } = validate(envelope, clearInexactTime(value));
  // If the value is not an object, there are no members to read.
  if (issues[0]?.path.length === 0) throw createInvalidEventError(issues);
  const { type, data, trace, ...rest } = members as Record<string, unknown>;
  const endpoint = eventEndpoints.find(({ name }) => name === type);
  if (!endpoint) throw createInvalidEventError([{ path: ["type"], expected: undefined, message: "Invalid value." }]);
  const result = readTolerantly(endpoint.schema, data);
  const dataIssues = "issues" in result ? result.issues : [];
  const allIssues = [...dataIssues.map((issue) => ({ ...issue, path: ["data", ...issue.path] })), ...issues];
  if ("issues" in result || allIssues.length > 0) throw createInvalidEventError(allIssues);
  const traceContext = readTrace(trace);
  return { type, data: result.data, ...rest, ...(traceContext && { trace: traceContext }) } as WebhookEvent;
}

/**
 * Clears a `receivedAt` string that is not in the format of `toISOString`, so that the schema rejects it. The kit uses only that format.
 * The schema itself rejects a value of any other type.
 */
function clearInexactTime(value: unknown): unknown {
  const { receivedAt } = Object(value);
  const canKeep = typeof receivedAt !== "string" || (receivedAt.endsWith("Z") && toUtc(receivedAt) === receivedAt);
  return canKeep ? value : { ...Object(value), receivedAt: "" };
}

/** Reads a trace context. Ignores an invalid one, so that the event itself is not lost. */
function readTrace(value: unknown): TraceContext | undefined {
  const { traceparent, tracestate } = Object(value);
  if (typeof traceparent !== "string") return undefined;
  return readTraceContext([traceparent], typeof tracestate === "string" ? [tracestate] : []);
}

function createInvalidEventError(issues: readonly Issue[]): InvalidEventError {
  const fields = describeIssues(issues);
  return new InvalidEventError(
    "invalid_event",
    `The value is not a valid webhook event: ${Object.keys(fields).join(", ")}. Was it enqueued by another version?`,
    { fields },
  );
}
