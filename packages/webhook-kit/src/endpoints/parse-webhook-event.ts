import { nullAsAbsent } from "@offers/contract/received-values";
import { readTraceContext } from "@offers/contract/trace-context";
import * as z from "zod";
import { InvalidEventError } from "../errors/errors.ts";
import type { HandledEndpoint } from "./endpoint.ts";
import { eventEndpoints } from "./endpoints.ts";
import type { TraceContext, WebhookEvent } from "./events.ts";
import { describeIssues } from "./schema-issues.ts";
import { readTolerantly } from "./tolerant-reader.ts";

/** An invalid one counts as none: no event is lost for its trace. */
const traceContext = z
  .unknown()
  .transform((value): TraceContext | undefined => {
    const { traceparent, tracestate } = Object(value);
    if (typeof traceparent !== "string") return undefined;
    return readTraceContext([traceparent], typeof tracestate === "string" ? [tracestate] : []);
  })
  .optional();

/** Of one type: the generic schema of a {@link HandledEndpoint} knows no data, so its result is typed as a {@link WebhookEvent} below. */
const schemaOf = ({ name, schema }: HandledEndpoint) =>
  z.looseObject({
    type: z.literal(name),
    data: z.unknown().transform((value, context) => {
      const reading = readTolerantly(schema, value);
      if (!("issues" in reading)) return reading.data;
      for (const issue of reading.issues) context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
      return z.NEVER;
    }),
    receivedAt: z.iso.datetime(),
    source: z.enum(["reconciled", "feed"]).optional(),
    deduplicationKey: z.string().min(1).optional(),
    unverifiedDeliveryId: z.string().optional(),
    trace: traceContext,
  });

/** A queue's serialiser may write null for a member without a value (D-94). */
const envelope = nullAsAbsent(
  z.looseObject({
    source: z.unknown().optional(),
    deduplicationKey: z.unknown().optional(),
    unverifiedDeliveryId: z.unknown().optional(),
  }),
);
const [first, ...rest] = eventEndpoints.map(schemaOf);
const schema = envelope.pipe(z.discriminatedUnion("type", [first as NonNullable<typeof first>, ...rest]));

/**
 * Validates what a queue delivered, for a worker that did not verify the request itself. Unknown fields are kept (D-35). Trust the
 * queue: the signature is not part of an event and cannot be verified again. `data` is read as a webhook's payload is (D-125).
 *
 * @param value a {@link WebhookEvent} after `JSON.parse`
 * @throws {InvalidEventError} `invalid_event`, naming the fields but none of their values
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
  const result = schema.safeParse(value);
  if (result.success) return result.data as unknown as WebhookEvent;
  const fields = describeIssues(result.error.issues);
  throw new InvalidEventError(
    "invalid_event",
    `The value is no webhook event of this version: ${Object.keys(fields).join(", ")}. Was it enqueued by another one?`,
    { fields },
  );
}
