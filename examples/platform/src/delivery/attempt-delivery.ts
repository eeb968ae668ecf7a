import { fillPath } from "../outbound/join-address.ts";
import type { Outbound, OutboundFailureCode, OutboundResult, Sign } from "../outbound/outbound.ts";
import { unseal } from "../store/seal.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { webhookCall } from "./webhook-call.ts";

/** Why an attempt was no acknowledgement. Stable: stored with the attempt. */
export type AttemptFailureCode = OutboundFailureCode | "not_acknowledged" | "no_endpoint" | "internal_error";

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
  /** Absent when no answer came. */
  status?: number;
  /** Absent when the answer was an acknowledgement. */
  failure?: AttemptFailureCode;
  retryAfterMs?: number;
}

export interface AttemptContext {
  outbound: Outbound;
  sign: Sign;
  sealKey: Uint8Array;
  timeoutMs: number;
  now: () => Date;
  onError: (error: unknown) => void;
}

/** Tells the endpoint once. Never rejects: what went wrong on our side is a failed attempt too, and is tried again. */
export async function attemptDelivery(context: AttemptContext, delivery: PendingDelivery): Promise<Attempt> {
  const { method, path, parameters, body } = webhookCall(delivery.type, delivery.data);
  const startedAt = context.now();
  const attempt = { number: delivery.attempts + 1, method, path, filledPath: path, startedAt };
  const { base_address: baseAddress, sealed_secret: sealedSecret } = delivery;
  if (baseAddress === null || sealedSecret === null) return { ...attempt, durationMs: 0, failure: "no_endpoint" };
  try {
    const filledPath = fillPath(path, parameters);
    const secret = unseal(sealedSecret, context.sealKey, delivery.organisation_id);
    const headers = { "offers-delivery-id": delivery.id, ...(await context.sign(secret)) };
    const call = { method, baseAddress, path, parameters, headers, timeoutMs: context.timeoutMs };
    const result = await context.outbound.send(body === undefined ? call : { ...call, body });
    return { ...attempt, filledPath, ...outcomeOf(result) };
  } catch (error) {
    context.onError(error);
    return { ...attempt, durationMs: 0, failure: "internal_error" };
  }
}

type Outcome = Pick<Attempt, "durationMs" | "status" | "failure" | "retryAfterMs">;

/** Only 200 acknowledges (D-13): nothing in the contract shows that another 2xx does. */
function outcomeOf(result: OutboundResult): Outcome {
  const { durationMs } = result;
  if (!result.ok) return { durationMs, failure: result.code };
  const { status, retryAfterMs } = result;
  if (status === 200) return { durationMs, status };
  return { durationMs, status, failure: "not_acknowledged", ...(retryAfterMs !== undefined && { retryAfterMs }) };
}
