import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import { endpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import { type Mask, maskSecrets, plural, printable, type Style, styleFor, UsageError } from "../terminal/output.ts";
import { readApiKey, readSecret } from "../terminal/read-secret.ts";
import { findEvent } from "../trigger/events.ts";
import { writeWebhook } from "../trigger/write-webhook.ts";
import { exchange } from "../wire/exchange.ts";
import { explainFailure, type ReceiverUrl, readUrl } from "../wire/receiver-url.ts";

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

interface FeedEvent {
  id: string;
  type: string;
  data: Readonly<Record<string, unknown>>;
  createdAt: string;
}

interface FeedPage {
  events: FeedEvent[];
  cursor: string;
  more: boolean;
}

/** The webhook of each type of event that the feed has. */
const webhookOf: Readonly<Record<string, string>> = {
  WorkerOfferResponse: "worker-offer-response",
  WorkerAddedContact: "worker-added-contact",
};

/** Prints the events of the feed, or sends them. @returns the exit code: 1 if the receiver did not acknowledge one */
export async function catchUp({
  from,
  to: address,
  scheme,
  timeout,
  json,
  ...options
}: CatchUpOptions): Promise<number> {
  const platform = readUrl(from);
  const to = address === undefined ? undefined : readUrl(address);
  const apiKey = await readApiKey(options.apiKeyFile);
  const secret = to && (await readSecret(scheme, options.secretFile));
  const mask = maskSecrets([apiKey, secret]);
  const style = styleFor(process.stdout);
  // A variable of the shell that is not set yet.
  let [cursor, count] = [options.after || undefined, 0];
  for (;;) {
    const page = await readPage(platform, apiKey, cursor, timeout);
    for (const event of page.events) {
      count += 1;
      const status = to && secret !== undefined ? await send(event, to, scheme, secret, timeout) : undefined;
      console.log(json ? toJsonLine(event, status, mask) : showEvent(event, status, mask, style));
      if (typeof status !== "number" || status === 200) continue;
      // The events before this one come again: the cursor is that of a page.
      const again = cursor === undefined ? "from the start" : `with --after ${cursor}`;
      const { advice } = endpointProblem(findEvent(webhookOf[event.type] ?? "").path, status);
      console.error(
        `The receiver did not acknowledge this event${advice}. Correct the receiver, and continue ${again}.`,
      );
      return 1;
    }
    cursor = page.cursor;
    if (!page.more) break;
  }
  if (json) console.log(JSON.stringify({ cursor }));
  else
    console.log(`${count === 0 ? "No events" : plural(count, "event")}. The next time, begin with --after ${cursor}`);
  return 0;
}

/** @throws {UsageError} (rejects) when the platform cannot be reached, or responds with something else */
async function readPage(
  platform: ReceiverUrl,
  apiKey: string,
  after: string | undefined,
  timeoutMs: number,
): Promise<FeedPage> {
  const query = new URLSearchParams({ ...(after !== undefined && { after }), limit: "100", "api-version": apiVersion });
  let response: Response;
  let body: string;
  try {
    response = await fetch(`${platform.href}/events?${query}`, {
      headers: { accept: "application/json", [apiKeyHeader]: apiKey },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    body = await response.text();
  } catch (error) {
    const { cause, name } = error as Error & { cause?: NodeJS.ErrnoException };
    throw new UsageError(explainFailure(platform, cause?.code ?? name));
  }
  const page = parsePage(body);
  if (response.status === 200 && page) return page;
  throw new UsageError(`${platform.href}/events responded with ${response.status}. ${remedyOf(response.status)}`);
}

function parsePage(body: string): FeedPage | undefined {
  try {
    const page = JSON.parse(body);
    return Array.isArray(page.events) && typeof page.cursor === "string" ? page : undefined;
  } catch {
    return undefined;
  }
}

function remedyOf(status: number): string {
  if (status === 400) return "Is --after a cursor that this command has printed for the same organisation?";
  if (status === 401 || status === 403) return "Check the API key.";
  return "Is this the base address of a platform that has a feed?";
}

/** @returns the status; "no response"; undefined for an event without a webhook */
async function send(
  { id, type, data }: FeedEvent,
  to: ReceiverUrl,
  scheme: Scheme,
  secret: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const name = webhookOf[type];
  if (name === undefined) return undefined;
  const event = findEvent(name);
  const bytes = writeWebhook({ event, fields: data, to, scheme, secret, id, now: new Date() });
  const { responses, error } = await exchange(to, bytes, { methods: [event.method], timeoutMs });
  if (!responses[0] && error !== undefined) throw new UsageError(explainFailure(to, error));
  return responses[0]?.status ?? 0;
}

/** One event in one line: when, what, about whom, and what the receiver responded. */
function showEvent({ type, data, createdAt }: FeedEvent, status: number | undefined, mask: Mask, style: Style): string {
  const about = Object.values(data).filter((value) => typeof value === "string");
  const line = `${style("dim", createdAt)}  ${style("bold", type)}  ${about.join(" ")}`;
  const outcome =
    status === undefined ? "" : `  ${style(status === 200 ? "green" : "red", status ? `${status}` : "no response")}`;
  return printable(mask(`${line}${outcome}`));
}

const toJsonLine = (event: FeedEvent, status: number | undefined, mask: Mask): string =>
  mask(JSON.stringify({ ...event, ...(status !== undefined && { status }) }));
