import { createHash, createHmac } from "node:crypto";
import { keyOf } from "../signature/sign-request.ts";
import type { Corpus, Sign } from "./corpus.ts";
import { fillIn } from "./write-request.ts";

/**
 * What the placeholders of a signature stand for. Shares no code with the kit.
 *
 * @param now what the sender's clock shows, in milliseconds since 1970
 */
export function sign(config: Corpus["config"], now: number, how: Sign = {}): Record<string, string> {
  const { precision = "ms", format = config.formats[precision] ?? "", variant = "sha256", algorithm = "sha256" } = how;
  const secret = config.secrets[how.secret ?? "current"];
  if (secret === undefined) throw new Error(`The corpus names the secret ${how.secret}, which is not configured.`);
  const values = {
    ...momentOf(now + (how.offsetMs ?? 0), (how.shiftMinutes ?? 0) * 60_000),
    secret,
    SECRET: secret.toUpperCase(),
  };
  const timestamp = fillIn(format, values);
  const over = (text: string) => fillIn(text, { ...values, timestamp });
  const digest =
    variant === "hmac"
      ? createHmac(algorithm, over(how.key ?? "{{secret}}")).update(over(how.over ?? "{{timestamp}}"))
      : createHash(algorithm).update(over(how.over ?? "{{timestamp}}{{secret}}"));
  const bytes = digest.digest();
  return {
    ...values,
    timestamp,
    digest: bytes.toString("hex"),
    DIGEST: bytes.toString("hex").toUpperCase(),
    digestBase64: bytes.toString("base64"),
  };
}

const dayMs = 86_400_000;

/** The fields of a calendar and a clock that are so far ahead of UTC. */
function momentOf(instant: number, aheadMs: number): Record<string, string> {
  const date = new Date(instant + aheadMs);
  const [YYYY = "", MM = "", DD = "", hh = "", mm = "", ss = "", SSS = ""] = date.toISOString().split(/[-T:.Z]/);
  // ISO 8601: a week belongs to the year of its Thursday.
  const weekday = date.getUTCDay() || 7;
  const thursday = new Date(date.getTime() + (4 - weekday) * dayMs);
  const dayOf = (each: Date) => Math.floor((each.getTime() - Date.UTC(each.getUTCFullYear(), 0, 1)) / dayMs);
  const two = (number: number, digits = 2) => String(number).padStart(digits, "0");
  return {
    YYYY,
    MM,
    DD,
    hh,
    mm,
    ss,
    SSS,
    week: `${thursday.getUTCFullYear()}-W${two(Math.floor(dayOf(thursday) / 7) + 1)}-${weekday}`,
    ordinal: `${YYYY}-${two(dayOf(date) + 1, 3)}`,
    unix: String(Math.floor(instant / 1000)),
    unixMs: String(instant),
    httpDate: date.toUTCString(),
  };
}

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
