import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";

/** A secret in the format that Standard Webhooks senders use. */
export const whsec = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** Creates a request that is signed now or at `message.now`: a POST with a JSON body, or a GET if `body` is undefined. */
export function createSignedRequest(
  body: string | Uint8Array<ArrayBuffer> | undefined,
  message: { id?: string; now?: Date; secret?: string } = {},
): RequestInit & { headers: Record<string, string> } {
  const { secret = whsec, now = new Date(), ...rest } = message;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const headers = standardWebhooks().sign({ secret, now, ...(bytes && { body: bytes }), ...rest });
  if (body === undefined) return { headers: { ...headers } };
  return { method: "POST", headers: { "content-type": "application/json", ...headers }, body };
}
