import type { CorpusCase } from "../corpus/corpus.ts";
import { type Scheme, schemes } from "../corpus/scheme.ts";
import { exchange } from "../exchange/exchange.ts";
import type { ReceiverUrl } from "../exchange/read-url.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { type RunSettings, runCase } from "./run-case.ts";

/** What a receiver implements besides the two checks. */
export interface Capabilities {
  searches: boolean;
}

const signatureHeaders: Readonly<Record<Scheme, [string, string][]>> = {
  timestampDigest: [
    ["Timestamp", "{{timestamp}}"],
    ["Authorization", "hmac {{DIGEST}}"],
  ],
  standardWebhooks: [
    ["webhook-id", "{{webhook.id}}"],
    ["webhook-timestamp", "{{webhook.timestamp}}"],
    ["webhook-signature", "{{webhook.signature}}"],
  ],
};

/**
 * Makes the service's own two checks, as it does when the address is entered on the company profile.
 *
 * @throws {UsageError} (rejects) if there is no receiver, or one that refuses the secret: every verdict would be wrong
 */
export async function checkReceiver(url: ReceiverUrl, settings: RunSettings): Promise<Capabilities> {
  const test = await requestOnce(url, settings, "GET", "/test", false);
  if (test === "closed" || test === "silent") throw new UsageError(await unreachable(url, test, settings));
  if (test !== 200)
    throw new UsageError(
      `GET ${url.href}/test got ${test}, and must get 200. Give the base address as it is on the company profile, such as http://localhost:3001/offers; the probe appends /test to it.`,
    );
  const auth = await requestOnce(url, settings, "GET", "/test/auth", true);
  if (auth !== 200) throw new UsageError(await refused(url, settings, auth));
  const search = await requestOnce(url, settings, "POST", "/contact-suggestions", true, "{{search}}");
  return { searches: search !== 404 && search !== 405 && search !== 501 };
}

/** @returns the status, or why there is none */
async function requestOnce(
  url: ReceiverUrl,
  settings: RunSettings,
  method: string,
  target: string,
  isSigned: boolean,
  body?: string,
): Promise<number | "closed" | "silent"> {
  const headers: [string, string][] = isSigned ? [...signatureHeaders[settings.scheme]] : [];
  if (body !== undefined) headers.push(["Content-Type", "application/json"]);
  const each: CorpusCase = {
    ...{ id: "check/check", title: "", why: "", response: { status: 200, handled: 0 } },
    request: { method, target, headers, ...(body !== undefined && { body }) },
  };
  const { responses, problem } = await runCase(settings, each, url, Date.now());
  if (problem !== undefined) return "silent";
  return responses[0]?.status ?? "closed";
}

async function unreachable(url: ReceiverUrl, how: "closed" | "silent", { timeoutMs }: RunSettings): Promise<string> {
  if (how === "silent")
    return `GET ${url.href}/test got no response within ${(timeoutMs ?? 0) / 1000} s. Is the receiver busy or stopped in a debugger? Try: curl -i ${url.href}/test`;
  const { error } = await exchange(url, Buffer.alloc(0), { methods: ["GET"], end: "half", timeoutMs: 2_000 });
  const reason = error === undefined ? "closed the connection without a response" : `cannot be reached (${error})`;
  return `${url.href} ${reason}. Start your receiver first, and give the address on which it listens.`;
}

/** Which other way of signing the receiver accepts, if any. */
async function refused(url: ReceiverUrl, settings: RunSettings, got: number | "closed" | "silent"): Promise<string> {
  const other = schemes.find((scheme) => scheme !== settings.scheme);
  const statusOfOther =
    other && (await requestOnce(url, { ...settings, scheme: other }, "GET", "/test/auth", true).catch(() => undefined));
  const result = typeof got === "number" ? `got ${got}` : "got no response";
  const advice =
    statusOfOther === 200
      ? `It accepts the other scheme: add --scheme ${other === "standardWebhooks" ? "standard-webhooks" : "timestamp-digest"}.`
      : "Does it have the same secret as WEBHOOK_SECRET? If it has, its verification refuses valid signatures; offers trigger test-auth shows the whole exchange.";
  return `GET ${url.href}/test/auth ${result} with a valid signature, and must get 200. ${advice}`;
}
