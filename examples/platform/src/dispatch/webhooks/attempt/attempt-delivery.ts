import { truncateUtf8 } from "../../../http/truncate-utf8.ts";
import { decryptSecrets } from "../../../store/encrypt.ts";
import { fillPath } from "../../outbound/join-address.ts";
import type { Outbound, OutboundFailureCode, OutboundResult, Sign } from "../../outbound/outbound.ts";
import { sendSigned } from "../../outbound/send-signed.ts";
import type { PendingDelivery } from "./load-deliveries.ts";
import { webhookCall } from "./webhook-call.ts";

/** Why an attempt was no acknowledgement. Stable: stored with the attempt. */
export type AttemptFailureCode = OutboundFailureCode | "not_acknowledged" | "internal_error";

/** What came of one attempt. */
export interface Attempt {
  number: number;
  method: "GET" | "POST";
  /** A template: the only form of the path that logs may show. */
  path: string;
  /** The path as it was called. */
  filledPath: string;
  startedAt: Date;
  durationMs: number;
  /** Absent when no response came. */
  status?: number;
  /** Absent when the response was an acknowledgement. */
  failure?: AttemptFailureCode;
  retryAfterMs?: number;
  contentType?: string;
  /** The beginning of the response's body as text; absent when no response came. */
  response?: string;
}

export interface AttemptContext {
  outbound: Outbound;
  sign: Sign;
  encryptionKey: Uint8Array;
  timeoutMs: number;
  /** Ends attempts before their time. */
  signal?: AbortSignal | undefined;
  /** Whether the delivery is still leased to this process. */
  isHeld?: () => boolean;
  now: () => Date;
  onError: (error: unknown) => void;
}

/** Calls the endpoint once. Never rejects: an error of the platform itself is a failed attempt too, and is retried. */
export async function attemptDelivery(context: AttemptContext, delivery: PendingDelivery): Promise<Attempt> {
  const { outbound, sign, encryptionKey, timeoutMs, signal, isHeld } = context;
  const { method, path, parameters, body } = webhookCall(delivery.type, delivery.data);
  const startedAt = context.now();
  const attempt = { number: delivery.attempts + 1, method, path, filledPath: path, startedAt };
  const { base_address: baseAddress, scheme } = delivery;
  try {
    const filledPath = fillPath(path, parameters);
    // Address and secrets are of one reading of the profile: whatever it has become meanwhile, they belong together.
    const secrets = decryptSecrets(delivery, encryptionKey, delivery.organisation_id, startedAt);
    const result = await sendSigned(
      outbound,
      sign,
      { baseAddress, scheme, ...secrets },
      {
        ...{ id: delivery.id, method, path, parameters, timeoutMs, signal, mayStart: isHeld },
        headers: { "offers-delivery-id": delivery.id },
        ...(body !== undefined && { body }),
      },
    );
    return { ...attempt, filledPath, ...outcomeOf(result) };
  } catch (error) {
    context.onError(error);
    return { ...attempt, durationMs: 0, failure: "internal_error" };
  }
}

type AttemptOutcome = Pick<Attempt, "durationMs" | "status" | "failure" | "retryAfterMs" | "contentType" | "response">;

/** Only 200 acknowledges (D-13): nothing in the contract shows that another 2xx does. */
function outcomeOf(result: OutboundResult): AttemptOutcome {
  const { durationMs } = result;
  if (!result.ok) return { durationMs, failure: result.code };
  const { status, retryAfterMs, contentType } = result;
  const responded = {
    ...{ durationMs, status, response: truncateUtf8(result.body, keptResponseBytes) },
    ...(contentType !== undefined && { contentType: truncateUtf8(Buffer.from(contentType), keptTypeBytes) }),
  };
  if (status === 200) return responded;
  return { ...responded, failure: "not_acknowledged", ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** What the portal shows of a response. */
const keptResponseBytes = 4_096;
const keptTypeBytes = 200;
