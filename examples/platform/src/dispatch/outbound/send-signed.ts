import { randomUUID } from "node:crypto";
import type { EndpointScheme } from "../../store/tables.ts";
import type { Outbound, OutboundRequest, OutboundResult, Sign } from "./outbound.ts";
import { signaturesOf } from "./redact-signatures.ts";

/** The address of a signed request, with the secrets of the same profile. */
export interface SignedEndpoint {
  baseAddress: string;
  scheme: EndpointScheme;
  secret: string;
  /** Still valid during a rotation (D-75). */
  previousSecret?: string | undefined;
}

export interface SignedRequest extends Omit<OutboundRequest, "baseAddress" | "confidential" | "sign"> {
  /** @default a new UUID */
  id?: string;
}

/**
 * Sends a signed request. During a rotation, a response of 401 or 403 is retried once with the old secret within the same
 * deadline, since some instances of a receiver may not have the new one yet (D-75).
 */
export async function sendSigned(
  outbound: Outbound,
  sign: Sign,
  { baseAddress, scheme, secret, previousSecret }: SignedEndpoint,
  { id = randomUUID(), ...request }: SignedRequest,
): Promise<OutboundResult> {
  const signatures: string[] = [];
  const confidential = { signatures, secrets: previousSecret === undefined ? [secret] : [secret, previousSecret] };
  const sendWith = (one: string, otherSecret: string | undefined, timeoutMs: number) =>
    outbound.send({
      ...request,
      baseAddress,
      confidential,
      timeoutMs,
      sign(content) {
        const headers = sign(one, { scheme, id, content, otherSecret });
        signatures.push(...signaturesOf(headers));
        return headers;
      },
    });
  const started = performance.now();
  const result = await sendWith(secret, previousSecret, request.timeoutMs);
  if (previousSecret === undefined || !isRefused(result)) return result;
  const leftMs = Math.floor(request.timeoutMs - (performance.now() - started));
  if (leftMs <= 0) return result;
  const second = await sendWith(previousSecret, secret, leftMs);
  return { ...second, durationMs: Math.round(performance.now() - started) };
}

const isRefused = (result: OutboundResult): boolean => result.ok && (result.status === 401 || result.status === 403);
