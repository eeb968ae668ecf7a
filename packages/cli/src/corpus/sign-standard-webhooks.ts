import { createHmac } from "node:crypto";
import type { Corpus, Sign } from "./corpus.ts";
import { fillIn } from "./fill-in.ts";

/**
 * The values of a Standard Webhooks signature, by placeholder. Shares no code with the kit.
 *
 * @param now what the sender's clock shows, in milliseconds since 1970
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signStandardWebhooks(
  config: Corpus["config"],
  now: number,
  how: Sign,
  { id, body }: { id: string; body: Uint8Array },
): Record<string, string> {
  const secret = config.secrets[how.secret ?? "current"];
  if (secret === undefined) throw new Error(`The corpus names the secret ${how.secret}, which is not configured.`);
  const key = how.key === undefined ? keyOf(secret) : Buffer.from(how.key);
  const timestamp = String(Math.floor((now + (how.offsetMs ?? 0)) / 1000));
  const head = fillIn(how.over ?? "{{webhook.id}}.{{webhook.timestamp}}.", {
    "webhook.id": id,
    "webhook.timestamp": timestamp,
  });
  const digest = createHmac("sha256", key).update(head).update(body).digest();
  return {
    "webhook.id": id,
    "webhook.timestamp": timestamp,
    "webhook.signature": `v1,${digest.toString("base64")}`,
    "webhook.digest": digest.toString("base64"),
    "webhook.hex": digest.toString("hex"),
  };
}

/** The bytes of a secret: base64, optionally with the prefix. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64");
