import { randomUUID } from "node:crypto";
import type { EndpointScheme } from "../store/tables.ts";
import type { Outbound, OutboundRequest, OutboundResult, Sign } from "./outbound.ts";
import { signaturesOf } from "./redact-signatures.ts";

/** Where a signed request goes, with the secrets that its owner gave for this very address. */
export interface SignedEndpoint {
  baseAddress: string;
  scheme: EndpointScheme;
  secret: string;
  /** The one before it, while a rotation's overlap lasts (D-75). */
  previousSecret?: string | undefined;
}

export interface SignedRequest extends Omit<OutboundRequest, "baseAddress" | "confidential" | "sign"> {
  /** @default a fresh one */
  id?: string;
}

/**
 * Sends a signed request. Within the overlap of a rotation, one that is refused for its signature is sent once more with the
 * old secret, in what is left of the same time: of a receiver's many instances some may not have the new one yet (D-75).
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
      async sign(content) {
        const headers = await sign(one, { scheme, id, content, otherSecret });
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
