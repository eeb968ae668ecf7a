import { createHash, createHmac } from "node:crypto";
import { decodeKey } from "../signature/sign-request.ts";
import type { Sign, TestVectors, Text, VectorRequest } from "./vectors.ts";

/**
 * Computes the values of the signature placeholders. Shares no code with the webhook kit, because the test vectors test the kit.
 *
 * @param now the time on the sender's clock, in milliseconds since 1970
 */
export function computeDigestValues(
  config: TestVectors["config"],
  now: number,
  signing: Sign = {},
): Record<string, string> {
  const {
    precision = "ms",
    format = config.formats[precision] ?? "",
    variant = "sha256",
    algorithm = "sha256",
  } = signing;
  const secret = findSecret(config, signing);
  const values = {
    ...toCalendarFields(now + (signing.offsetMs ?? 0), (signing.shiftMinutes ?? 0) * 60_000),
    secret,
    SECRET: secret.toUpperCase(),
  };
  const timestamp = fillIn(format, values);
  const fill = (text: string) => fillIn(text, { ...values, timestamp });
  const digest =
    variant === "hmac"
      ? createHmac(algorithm, fill(signing.key ?? "{{secret}}")).update(fill(signing.over ?? "{{timestamp}}"))
      : createHash(algorithm).update(fill(signing.over ?? "{{timestamp}}{{secret}}"));
  const bytes = digest.digest();
  return {
    ...values,
    timestamp,
    digest: bytes.toString("hex"),
    DIGEST: bytes.toString("hex").toUpperCase(),
    digestBase64: bytes.toString("base64"),
  };
}

function findSecret({ secrets }: TestVectors["config"], { secret: name = "current" }: Sign): string {
  const secret = secrets[name];
  if (secret === undefined) throw new Error(`The test vectors use the secret ${name}, which is not configured.`);
  return secret;
}

const dayMs = 86_400_000;

/** Formats an instant as the values of the calendar and clock placeholders, at the given offset from UTC. */
function toCalendarFields(instant: number, utcOffsetMs: number): Record<string, string> {
  const date = new Date(instant + utcOffsetMs);
  const [YYYY = "", MM = "", DD = "", hh = "", mm = "", ss = "", SSS = ""] = date.toISOString().split(/[-T:.Z]/);
  // In ISO 8601, Sunday is day 7, and a week belongs to the year of its Thursday.
  const weekday = date.getUTCDay() || 7;
  const thursday = new Date(date.getTime() + (4 - weekday) * dayMs);
  const dayOfYear = (day: Date) => Math.floor((day.getTime() - Date.UTC(day.getUTCFullYear(), 0, 1)) / dayMs);
  const padZeros = (number: number, digits = 2) => String(number).padStart(digits, "0");
  return {
    YYYY,
    MM,
    DD,
    hh,
    mm,
    ss,
    SSS,
    week: `${thursday.getUTCFullYear()}-W${padZeros(Math.floor(dayOfYear(thursday) / 7) + 1)}-${weekday}`,
    ordinal: `${YYYY}-${padZeros(dayOfYear(date) + 1, 3)}`,
    unix: String(Math.floor(instant / 1000)),
    unixMs: String(instant),
    httpDate: date.toUTCString(),
  };
}

/**
 * Computes the values of the Standard Webhooks signature placeholders. Shares no code with the webhook kit, because the test vectors test
 * the kit.
 *
 * @param now the time on the sender's clock, in milliseconds since 1970
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function computeStandardValues(
  config: TestVectors["config"],
  now: number,
  signing: Sign,
  { id, body }: { id: string; body: Uint8Array },
): Record<string, string> {
  const secret = findSecret(config, signing);
  const key = signing.key === undefined ? decodeKey(secret) : Buffer.from(signing.key);
  const timestamp = String(Math.floor((now + (signing.offsetMs ?? 0)) / 1000));
  const signedPrefix = fillIn(signing.over ?? "{{webhook.id}}.{{webhook.timestamp}}.", {
    "webhook.id": id,
    "webhook.timestamp": timestamp,
  });
  const digest = createHmac("sha256", key).update(signedPrefix).update(body).digest();
  return {
    "webhook.id": id,
    "webhook.timestamp": timestamp,
    "webhook.signature": `v1,${digest.toString("base64")}`,
    "webhook.digest": digest.toString("base64"),
    "webhook.hex": digest.toString("hex"),
  };
}

type Values = Readonly<Record<string, string>>;

/** Matches `{{name}}`, or `{{name[2:5]}}` for a slice of its value. */
const placeholder = /\{\{([A-Za-z.]+)(?:\[(\d+):(\d*)\])?\}\}/g;

/**
 * Replaces the placeholders in a string, including placeholders in the values.
 *
 * @throws {Error} for a name without a value, so that a typo in a test vector is not sent as part of a request
 */
export function fillIn(text: string, values: Values): string {
  return text.replace(placeholder, (_, name: string, start?: string, end?: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A test vector uses {{${name}}}, which has no value.`);
    const filled = fillIn(value, values);
    return start === undefined ? filled : filled.slice(Number(start), end ? Number(end) : undefined);
  });
}

/** Builds a request body, encoded in UTF-8. */
export const buildBody = (request: VectorRequest, values: Values): Buffer<ArrayBuffer> =>
  Buffer.concat(buildBodyParts(request, values));

/** Builds the parts of a request body. The caller concatenates them only once, because some bodies are 16 MiB. */
function buildBodyParts({ body = "", bodyBase64 }: VectorRequest, values: Values): Buffer[] {
  if (bodyBase64 !== undefined) return [Buffer.from(fillIn(expandRepeats(bodyBase64), values), "base64")];
  return (typeof body === "string" ? [body] : body).map((part) => {
    if (typeof part === "string") return Buffer.from(fillIn(part, values));
    const unit = Buffer.from(fillIn(part.repeat, values));
    return Buffer.alloc(unit.length * part.times, unit);
  });
}

/**
 * Builds the bytes of a request. The head is encoded in ISO 8859-1, so that it can contain any byte.
 *
 * @param isLast whether no other request follows on the connection, so that the receiver can close it
 */
export function buildRequest(request: VectorRequest, values: Values, isLast: boolean): Buffer<ArrayBuffer> {
  const fill = (text: Text) => fillIn(expandRepeats(text), values);
  if (request.raw !== undefined) return Buffer.from(fill(request.raw), "latin1");
  const { method = "GET", target = "/test/auth", version = "HTTP/1.1", headers = [], without = [] } = request;
  const body = buildBodyParts(request, values);
  const lines = headers.map((header) => {
    if (typeof header === "string") return fill(header);
    const [name, value] = header;
    return fill(`${name}: ${fill(value)}`);
  });
  const isOmittedOrSet = (name: string) =>
    without.includes(name) || lines.some((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  const hasBody = request.body !== undefined || request.bodyBase64 !== undefined;
  if (!isOmittedOrSet("Host")) lines.unshift(`Host: ${values.host}`);
  if (hasBody && !isOmittedOrSet("Content-Length") && !isOmittedOrSet("Transfer-Encoding"))
    lines.push(`Content-Length: ${body.reduce((sum, { length }) => sum + length, 0)}`);
  if (isLast && !isOmittedOrSet("Connection")) lines.push("Connection: close");
  const filledTarget = fill(target);
  const requestTarget = filledTarget.startsWith("/") ? `${values.base}${filledTarget}` : filledTarget;
  const requestLine = `${fill(method)} ${requestTarget} ${version}`;
  return Buffer.concat([Buffer.from(`${[requestLine, ...lines].join("\r\n")}\r\n\r\n`, "latin1"), ...body]);
}

const expandRepeats = (text: Text): string =>
  typeof text === "string"
    ? text
    : text.map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times))).join("");
