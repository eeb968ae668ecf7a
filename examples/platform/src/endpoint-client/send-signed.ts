import { randomUUID } from "node:crypto";
import type { webhooks } from "@offers/contract/openapi";
import { standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import type { EndpointScheme } from "../store/tables.ts";
import type { EndpointClient, EndpointRequest, EndpointResult, Sign } from "./endpoint-client.ts";
import { extractSignatures } from "./mask-echoes.ts";

/** Where to send a signed request, and the secrets from the same profile. */
export interface SignedEndpoint {
  baseAddress: string;
  scheme: EndpointScheme;
  secret: string;
  /** The old secret, which is still valid during a rotation (D-75). */
  previousSecret?: string | undefined;
}

export interface SignedRequest extends Omit<EndpointRequest, "baseAddress" | "confidential" | "sign"> {
  /** @default a new UUID */
  id?: string;
}

/**
 * Sends a signed request. During a rotation, retries a request that gets 401 or 403 once with the old secret, within the same
 * deadline, because some instances of the receiver may not have the new secret yet (D-75).
 */
export async function sendSigned(
  endpointClient: EndpointClient,
  sign: Sign,
  { baseAddress, scheme, secret, previousSecret }: SignedEndpoint,
  { id = randomUUID(), ...request }: SignedRequest,
): Promise<EndpointResult> {
  // `sign` adds the signatures before they are masked in the response.
  const signatures: string[] = [];
  const confidential = { signatures, secrets: previousSecret === undefined ? [secret] : [secret, previousSecret] };
  const sendWith = (signingSecret: string, otherSecret: string | undefined, timeoutMs: number) =>
    endpointClient.send({
      ...request,
      baseAddress,
      confidential,
      timeoutMs,
      sign(content) {
        const headers = sign(signingSecret, { scheme, id, content, otherSecret });
        signatures.push(...extractSignatures(headers));
        return headers;
      },
    });
  const startedAtMs = performance.now();
  const result = await sendWith(secret, previousSecret, request.timeoutMs);
  if (previousSecret === undefined || !isUnauthorized(result)) return result;
  const remainingMs = Math.floor(request.timeoutMs - (performance.now() - startedAtMs));
  if (remainingMs <= 0) return result;
  const retryResult = await sendWith(previousSecret, secret, remainingMs);
  return { ...retryResult, durationMs: Math.round(performance.now() - startedAtMs) };
}

const isUnauthorized = (result: EndpointResult): boolean =>
  result.ok && (result.status === 401 || result.status === 403);

/**
 * Creates the function that signs webhooks (D-76). It always returns the documented `Timestamp` and `Authorization` headers, and also
 * the Standard Webhooks headers if the endpoint's scheme includes them.
 */
export function createSigner(now: () => Date): Sign {
  const digestSigner = timestampDigest();
  const standardSigner = standardWebhooks();
  return (secret, { scheme, id, content, otherSecret }) => {
    const time = now();
    const headers = digestSigner.sign({ secret, now: time });
    if (scheme === "timestampDigest") return headers;
    const standardHeaders = standardSigner.sign({ secret, now: time, body: content, id });
    if (otherSecret === undefined) return { ...headers, ...standardHeaders };
    const otherHeaders = standardSigner.sign({ secret: otherSecret, now: time, body: content, id });
    // Both signatures have the same id and time. Receivers accept a message if any of its signatures is valid.
    const signatures = [standardHeaders, otherHeaders].map((signed) => signed["webhook-signature"]).join(" ");
    return { ...headers, ...standardHeaders, "webhook-signature": signatures };
  };
}

type WebhookMethod<Item> = { [Name in "get" | "post"]: Item extends Record<Name, object> ? Uppercase<Name> : never }[
  | "get"
  | "post"];

/** The method and path of one of the contract's webhooks. */
export type Webhook = {
  [Path in keyof webhooks]: { method: WebhookMethod<webhooks[Path]>; path: Path };
}[keyof webhooks];
