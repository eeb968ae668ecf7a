import { describeEndpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import { createMask, type Mask, plural, type Style, styleFor, toPrintable, UsageError } from "../terminal/output.ts";
import { readApiKey, readSecret } from "../terminal/read-secret.ts";
import { sendWebhook } from "../trigger/write-webhook.ts";
import { parseUrl } from "../wire/receiver-url.ts";
import { createFeedReader, type FeedEvent, toWebhook } from "./feed.ts";

export interface CatchUpOptions {
  from: string;
  after?: string;
  to?: string;
  apiKeyFile?: string;
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

/**
 * Prints the events of the feed and, with `to`, sends them to the receiver. Stops at the first event that the receiver does not
 * acknowledge.
 *
 * @returns the exit code: 0, or 1 if the receiver did not acknowledge an event
 */
export async function catchUp({
  from,
  to: urlText,
  scheme,
  timeout,
  json,
  ...options
}: CatchUpOptions): Promise<number> {
  const platform = parseUrl(from);
  const to = urlText === undefined ? undefined : parseUrl(urlText);
  const apiKey = await readApiKey(options.apiKeyFile);
  const secret = to && (await readSecret(scheme, options.secretFile));
  const mask = createMask([apiKey, secret]);
  const style = styleFor(process.stdout);
  const readPage = createFeedReader(platform, apiKey, timeout);
  // An unset shell variable is passed as an empty string.
  let cursor = options.after || undefined;
  let eventCount = 0;
  for (;;) {
    const page = await readPage(cursor);
    for (const event of page.events) {
      eventCount += 1;
      const webhook = toWebhook(event);
      const sent =
        webhook && to && secret !== undefined ? await sendWebhook(webhook, to, { scheme, secret }, timeout) : undefined;
      if (sent?.failure !== undefined) throw new UsageError(sent.failure);
      const status = sent?.status;
      console.log(json ? toJsonLine(event, status, mask) : formatEvent(event, status, mask, style));
      if (typeof status !== "number" || status === 200) continue;
      // Earlier events of the page will be sent again, because only whole pages have a cursor.
      const resumeFrom = cursor === undefined ? "from the start" : `with --after ${cursor}`;
      const { advice } = describeEndpointProblem(webhook?.path ?? "", status);
      console.error(
        `The receiver did not acknowledge this event${advice}. Correct the receiver, and continue ${resumeFrom}.`,
      );
      return 1;
    }
    cursor = page.cursor;
    if (!page.more) break;
  }
  if (json) console.log(JSON.stringify({ cursor }));
  else
    console.log(
      `${eventCount === 0 ? "No events" : plural(eventCount, "event")}. Next time, start with --after ${cursor}`,
    );
  return 0;
}

/** Formats an event as one line: the time, the type, the strings in its data and, if the event was sent, the response status. */
function formatEvent(
  { type, data, createdAt }: FeedEvent,
  status: number | undefined,
  mask: Mask,
  style: Style,
): string {
  const strings = Object.values(data).filter((value) => typeof value === "string");
  const line = `${style("dim", createdAt)}  ${style("bold", type)}  ${strings.join(" ")}`;
  if (status === undefined) return toPrintable(mask(line));
  // The status 0 means that there was no response.
  const outcome = style(status === 200 ? "green" : "red", status ? `${status}` : "no response");
  return toPrintable(mask(`${line}  ${outcome}`));
}

const toJsonLine = (event: FeedEvent, status: number | undefined, mask: Mask): string =>
  mask(JSON.stringify({ ...event, ...(status !== undefined && { status }) }));
