import { randomUUID } from "node:crypto";
import { describeEndpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import { createMask, plural, type Style, styleFor, toPrintable, UsageError } from "../terminal/output.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { sendWebhook, type Webhook } from "../trigger/write-webhook.ts";
import { parseUrl } from "../wire/receiver-url.ts";
import { readRecording } from "./recording.ts";

export interface ReplayOptions {
  to: string;
  startAt: number;
  newIds?: true;
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

/**
 * Sends recorded webhooks again, in order. Stops at the first webhook that the receiver does not acknowledge.
 *
 * @returns the exit code: 0, or 1 if the receiver did not acknowledge a webhook
 */
export async function replay(
  file: string,
  { to: urlText, startAt, newIds, scheme, timeout, json, ...options }: ReplayOptions,
): Promise<number> {
  const to = parseUrl(urlText);
  const webhooks = readRecording(file);
  const secret = await readSecret(scheme, options.secretFile);
  const mask = createMask([secret]);
  const style = styleFor(process.stdout);
  let sentCount = 0;
  for (const [index, webhook] of webhooks.entries()) {
    const line = index + 1;
    if (line < startAt) continue;
    const id = newIds ? `replay_${randomUUID()}` : webhook.id;
    const { status, failure } = await sendWebhook({ ...webhook, id }, to, { scheme, secret }, timeout);
    if (failure !== undefined) throw new UsageError(failure);
    const { method, path } = webhook;
    sentCount += 1;
    if (json) console.log(mask(JSON.stringify({ line, id, method, path, status })));
    else console.log(toPrintable(mask(formatSentWebhook(webhook, line, status, style))));
    if (status === 200) continue;
    const { advice } = describeEndpointProblem(path, status);
    console.error(
      `The receiver did not acknowledge this webhook${advice}. Correct the receiver, and continue with --start-at ${line}.`,
    );
    return 1;
  }
  if (!json) console.log(`${sentCount === 0 ? "No webhooks" : plural(sentCount, "webhook")} sent again.`);
  return 0;
}

/** Formats a webhook as one line: its line number in the recording, the request and the response status. */
function formatSentWebhook({ method, path }: Webhook, lineNumber: number, status: number, style: Style): string {
  // The status 0 means that there was no response.
  const outcome = style(status === 200 ? "green" : "red", status ? `${status}` : "no response");
  return `${style("dim", `line ${lineNumber}`)}  ${style("bold", `${method} ${path}`)}  ${outcome}`;
}
