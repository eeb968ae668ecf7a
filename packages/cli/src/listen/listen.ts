import { randomUUID } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describeEndpointProblem } from "@offers/contract/endpoint-problem";
import { createFeedReader, type FeedEvent, toWebhook } from "../catch-up/feed.ts";
import { openRecording } from "../replay/recording.ts";
import type { Scheme } from "../signature/sign-request.ts";
import {
  createMask,
  cut,
  type Mask,
  type Style,
  styleFor,
  toPrintable,
  UsageError,
  widthOf,
  wrapText,
} from "../terminal/output.ts";
import { readApiKey, readSecret } from "../terminal/read-secret.ts";
import { sendWebhook } from "../trigger/write-webhook.ts";
import { parseUrl, type ReceiverUrl } from "../wire/receiver-url.ts";
import { FeedFollower } from "./feed-follower.ts";
import { servicePathOf } from "./forward.ts";
import { type Arrival, createListener } from "./listener.ts";
import { SavedCursor } from "./saved-cursor.ts";

export interface ListenOptions {
  port: number;
  host: string;
  forwardTo?: string;
  from?: string;
  after?: string;
  cursorFile: string;
  skip?: string[];
  apiKeyFile?: string;
  record?: string;
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

/** Receives and prints webhooks until Ctrl+C, and forwards them if a receiver is set. @returns the exit code, which is always 0 */
export async function listen({ port: requestedPort, host, scheme, ...options }: ListenOptions): Promise<number> {
  const forwardTo = options.forwardTo === undefined ? undefined : parseUrl(options.forwardTo);
  const platform = options.from === undefined ? undefined : parseUrl(options.from);
  const apiKey = platform && (await readApiKey(options.apiKeyFile));
  const secret = await readSecret(scheme, options.secretFile);
  const mask = createMask([secret, apiKey]);
  const style = styleFor(process.stdout);
  const record = options.record === undefined ? undefined : openRecording(options.record);
  const stopped = new AbortController();
  let fatalError: unknown;
  const onArrival = (arrival: Arrival): void => {
    console.log(
      options.json ? toJsonLine(arrival, mask) : formatArrival(arrival, mask, style, widthOf(process.stdout)),
    );
    const { arrivedAt, recordedAt, method, target, body, verification, notForwarded, isEvent } = arrival;
    // A replay signs each webhook again, so recording a forged one would make it valid.
    if (!isEvent || notForwarded || !(verification?.ok || recordedAt !== undefined)) return;
    const { id = `delivery_${randomUUID()}` } = arrival;
    try {
      record?.({ time: arrivedAt.toISOString(), id, method, path: servicePathOf(target), body: body.toString() });
    } catch (error) {
      fatalError = error;
      stopped.abort();
    }
  };
  const timeoutMs = options.timeout;
  const progress = platform && new SavedCursor(options.cursorFile, platform.href, options.after || undefined);
  for (const id of options.skip ?? []) progress?.saveForwarded(id);
  const follower =
    platform && apiKey !== undefined && progress
      ? new FeedFollower({
          readPage: createFeedReader(platform, apiKey, timeoutMs),
          progress,
          send: (event, retryMs) => sendEvent(event, { forwardTo, scheme, secret, timeoutMs, retryMs, onArrival }),
          onFeedFailed: (reason) => console.error(`${toPrintable(mask(reason))} Retrying until the feed responds.`),
        })
      : undefined;
  const server = createListener({ scheme, secret, forwardTo, timeoutMs, follower, onArrival });
  const port = await startServer(server, requestedPort, host);
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const destination = forwardTo ? `, forwarding to ${forwardTo.href}` : "";
  // Standard output contains only the requests, so that another program can read their JSON lines.
  console.error(`Listening on ${address}${destination}. Stop with Ctrl+C.`);
  if (progress) {
    const start = progress.cursor === undefined ? "its start" : "the saved cursor";
    console.error(`Reading the feed at ${platform?.href} from ${start}. The cursor is saved in ${options.cursorFile}.`);
  }
  const followerRun = follower?.run(stopped.signal).catch((error: unknown) => {
    fatalError = error;
    stopped.abort();
  });
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), once(stopped.signal, "abort")]);
  stopped.abort();
  // Wait for an event in progress. If the receiver acknowledges it, it is saved as forwarded.
  await followerRun;
  server.close();
  server.closeAllConnections();
  if (fatalError !== undefined) throw fatalError;
  return 0;
}

/** Starts the server. @returns its port @throws {UsageError} (rejects) if the port cannot be used */
async function startServer(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`Port ${port} on ${host} cannot be used (${code}). Choose another with --port.`);
  }
  return (server.address() as AddressInfo).port;
}

interface SendOptions {
  forwardTo: ReceiverUrl | undefined;
  scheme: Scheme;
  secret: string;
  timeoutMs: number;
  retryMs: number;
  onArrival(arrival: Arrival): void;
}

/**
 * Signs an event from the feed and forwards it. Without a receiver, only reports it.
 *
 * @returns false if the receiver did not acknowledge it, otherwise true
 */
async function sendEvent(
  event: FeedEvent,
  { forwardTo, scheme, secret, timeoutMs, retryMs, onArrival }: SendOptions,
): Promise<boolean> {
  const webhook = toWebhook(event);
  if (!webhook) {
    console.error(
      `${toPrintable(event.id)} has the type ${toPrintable(event.type)}, which has no webhook. It was not forwarded.`,
    );
    return true;
  }
  const arrivedAt = new Date();
  const sent = forwardTo && (await sendWebhook(webhook, forwardTo, { scheme, secret }, timeoutMs));
  const { id, method, path, body } = webhook;
  const isAcknowledged = sent === undefined || sent.status === 200;
  const failure = sent?.status === 0 ? (sent.failure ?? `${forwardTo?.href} did not respond`) : undefined;
  onArrival({
    arrivedAt,
    method,
    target: path,
    rawHeaders: [],
    body,
    // The same status as for a push that could not be forwarded.
    status: sent ? sent.status || 502 : 200,
    durationMs: sent?.durationMs ?? 0,
    id,
    isEvent: true,
    recordedAt: event.createdAt,
    ...(forwardTo && { forwardedTo: `${forwardTo.href}${path}` }),
    ...(failure !== undefined && { failure }),
    ...(!isAcknowledged && { retryMs }),
  });
  return isAcknowledged;
}

/** The maximum number of characters of a body to print. */
const maxBodyLength = 2_000;

/** Formats a request for display: a line with the time of day and the outcome, lines that explain the outcome, and the body. */
export function formatArrival(arrival: Arrival, mask: Mask, style: Style, width: number): string {
  const { arrivedAt, method, target, status, verification, durationMs, failure, forwardedTo, body } = arrival;
  const { id, retryMs, notForwarded } = arrival;
  const isAccepted = status >= 200 && status < 300;
  const time = style("dim", arrivedAt.toTimeString().slice(0, 8));
  const request = style("bold", `${method} ${cut(toPrintable(mask(target)), 200)}`);
  const response = style(isAccepted ? "green" : "red", String(status));
  const duration = style("dim", `${Math.round(durationMs)} ms`);
  const lines = [`${time}  ${request}  ${response}  ${describeVerification(arrival, style)}  ${duration}`];
  const addDetail = (text: string) => lines.push(wrapText(toPrintable(mask(text)), "  ", width));
  if (verification && !verification.ok) addDetail(verification.advice);
  if (failure !== undefined) addDetail(failure);
  if (forwardedTo !== undefined && !isAccepted) {
    // A failure is explained above, and a receiver is right to reject a request that also fails verification here.
    const isExpected = failure !== undefined || verification?.ok === false;
    const advice = isExpected ? "" : describeEndpointProblem(target.split("?")[0] ?? "", status).advice;
    addDetail(`forwarded to ${forwardedTo}${advice}`);
  }
  if (notForwarded === "repeated")
    addDetail("The receiver has already acknowledged this event. It was not forwarded again.");
  if (notForwarded === "waiting")
    addDetail("Earlier events have not been acknowledged. This event will be forwarded after them.");
  if (retryMs !== undefined)
    addDetail(`${id} will be forwarded again in ${retryMs / 1000} s; later events wait. To skip it: --skip ${id}`);
  if (body.length > 0) lines.push(formatBody(body, mask, width));
  return lines.join("\n");
}

function describeVerification({ verification, recordedAt }: Arrival, style: Style): string {
  if (recordedAt !== undefined) return style("green", `from the feed, recorded ${toPrintable(recordedAt)}`);
  if (!verification) return style("dim", "unsigned, like every GET /test");
  if (!verification.ok) return style("red", `rejected: ${verification.reason}`);
  return style("green", `verified: ${verification.variant}, ${verification.ageSeconds.toFixed(1)} s old`);
}

function formatBody(body: Buffer, mask: Mask, width: number): string {
  // A character has at most four bytes in UTF-8.
  const text = mask(body.subarray(0, maxBodyLength * 4).toString());
  const lines = cut(toPrintable(indentJson(text)), maxBodyLength).split("\n");
  if (body.length > maxBodyLength) lines.push(`… ${body.length.toLocaleString("en")} bytes in total`);
  return lines.map((line) => wrapText(line.trimStart(), `  ${/^ */.exec(line)}`, width)).join("\n");
}

/** Matches a string, an empty list or object, white space between tokens, and punctuation. */
const jsonToken = /"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|\s+|[[\]{},:]/g;

/** Indents JSON. Its values stay as they are, because a parser would round numbers and drop repeated names. */
function indentJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let newLine = "\n";
  return text.replace(jsonToken, (token) => {
    if (/^\s/.test(token)) return "";
    if (token === ":") return ": ";
    if (token === ",") return `,${newLine}`;
    if (token === "{" || token === "[") {
      newLine += "  ";
      return token + newLine;
    }
    if (token === "}" || token === "]") {
      newLine = newLine.slice(0, -2);
      return newLine + token;
    }
    return token.startsWith('"') ? token : token.replace(/\s/g, "");
  });
}

/** Formats a request as one line of JSON. Headers are omitted, because they contain signatures. */
export function toJsonLine(arrival: Arrival, mask: Mask): string {
  return JSON.stringify({
    time: arrival.arrivedAt.toISOString(),
    id: arrival.id,
    recordedAt: arrival.recordedAt,
    method: arrival.method,
    target: mask(arrival.target),
    status: arrival.status,
    durationMs: Math.round(arrival.durationMs),
    verification: arrival.verification ?? null,
    failure: arrival.failure,
    // Why it was not the event's turn to be forwarded: "repeated" or "waiting".
    turn: arrival.notForwarded,
    retryMs: arrival.retryMs,
    forwardedTo: arrival.forwardedTo && mask(arrival.forwardedTo),
    body: mask(arrival.body.toString()),
  });
}
