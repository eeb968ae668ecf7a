import { createHash, createHmac } from "node:crypto";

/** A signature scheme that the service supports. */
export type Scheme = "timestampDigest" | "standardWebhooks";

/** The name of each scheme in options and messages. */
export const schemeNames: Readonly<Record<Scheme, string>> = {
  timestampDigest: "timestamp-digest",
  standardWebhooks: "standard-webhooks",
};

/** The `WWW-Authenticate` value in a 401 response. */
export const challenges: Readonly<Record<Scheme, string>> = {
  timestampDigest: "hmac",
  standardWebhooks: "standard-webhooks",
};

/** Decodes a Standard Webhooks secret, which is base64 with an optional prefix. */
export const decodeKey = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");

/** Returns the signature headers that the platform sends with a webhook. */
export function signRequest(
  scheme: Scheme,
  secret: string,
  { now, id, body, timestamp = now.toISOString() }: { now: Date; id: string; body: Uint8Array; timestamp?: string },
): [name: string, value: string][] {
  const digest = createHash("sha256").update(`${timestamp}${secret}`).digest("hex").toUpperCase();
  // The platform sends these two headers with either scheme (D-76).
  const documentedHeaders: [string, string][] = [
    ["Timestamp", timestamp],
    ["Authorization", `hmac ${digest}`],
  ];
  if (scheme === "timestampDigest") return documentedHeaders;
  const seconds = String(Math.floor(now.getTime() / 1000));
  const signature = createHmac("sha256", decodeKey(secret)).update(`${id}.${seconds}.`).update(body).digest("base64");
  return [
    ...documentedHeaders,
    ["webhook-id", id],
    ["webhook-timestamp", seconds],
    ["webhook-signature", `v1,${signature}`],
  ];
}
