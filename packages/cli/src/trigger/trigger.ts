import { randomUUID } from "node:crypto";
import { describeEndpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import {
  createMask,
  type Mask,
  plural,
  type Style,
  styleFor,
  UsageError,
  widthOf,
  wrapText,
} from "../terminal/output.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { type Exchange, exchange } from "../wire/exchange.ts";
import { describeConnectionError, parseUrl, type ReceiverUrl } from "../wire/receiver-url.ts";
import { formatRequest, formatResponse, toCommand } from "../wire/show-exchange.ts";
import { findEvent, overrideFields, type TriggerEvent, uniqueFields } from "./events.ts";
import { judgeTestEvent, type TestVerdict } from "./judge.ts";
import { type TestRequest, type TestWay, waysFor, writeTestRequests } from "./ways.ts";
import { fillEvent, serialiseRequest, type Webhook } from "./write-webhook.ts";

export interface TriggerOptions {
  to: string;
  set?: string[];
  as: string;
  scheme: Scheme;
  secretFile?: string;
  timeout?: number;
  json?: true;
}

/**
 * Sends one webhook in each way that `--as` selects, and prints each exchange.
 *
 * @returns the exit code: 0 if every response is correct, otherwise 1
 */
export async function trigger(name: string, { to: urlText, set = [], as, scheme, ...options }: TriggerOptions) {
  const event = findEvent(name);
  const fields = overrideFields(event, set);
  const to = parseUrl(urlText);
  const createWebhook = (values = fields): Webhook => fillEvent(event, values, `delivery_${randomUUID()}`);
  const ways = findWays(as, createWebhook(), scheme);
  const secret = event.isUnsigned ? "" : await readSecret(scheme, options.secretFile);
  const mask = createMask([secret]);
  // The time limits of the service (D-25).
  const timeoutMs = options.timeout ?? (event.isRequest ? 5_000 : 15_000);
  let wrongCount = 0;
  let hasResponded = false;
  for (const way of ways) {
    // Without unique fields, the receiver would treat later events as duplicates of the first event.
    const webhook = createWebhook(ways.length > 1 && set.length === 0 ? uniqueFields(event) : fields);
    const requests = writeTestRequests(way, webhook, { scheme, secret, now: new Date() });
    for (const request of requests) {
      const sent = await sendTest(request, { event, way, to, timeoutMs, mask });
      const { responses, error } = sent.received;
      hasResponded ||= responses.length > 0;
      // After the first response, a connection error may be the receiver's reaction to a request.
      if (!hasResponded && error !== undefined) throw new UsageError(describeConnectionError(to, error));
      if (!sent.verdict.isRight) wrongCount += 1;
      console.log(options.json ? toJsonLine(sent) : formatTest(sent, ways.length > 1));
    }
  }
  if (!options.json && ways.length > 1)
    console.log(wrongCount === 0 ? "Every response is correct." : `${plural(wrongCount, "wrong response")}.`);
  return wrongCount === 0 ? 0 : 1;
}

/** Returns the ways that `--as` selects. @throws {UsageError} if the webhook cannot be sent that way */
function findWays(name: string, webhook: Webhook, scheme: Scheme): readonly TestWay[] {
  const ways = waysFor(webhook, scheme);
  const selectedWays = name === "every" ? ways : ways.filter((way) => way.name === name);
  if (selectedWays.length > 0) return selectedWays;
  throw new UsageError(
    `This webhook cannot be sent as ${JSON.stringify(name)}. Choose one of: every, ${ways.map((way) => way.name).join(", ")}.`,
  );
}

interface TestContext {
  event: TriggerEvent;
  way: TestWay;
  to: ReceiverUrl;
  timeoutMs: number;
  mask: Mask;
}

interface SentTest extends TestContext {
  bytes: Buffer;
  received: Exchange;
  verdict: TestVerdict;
}

/** Sends one request of a test event, and judges the response. */
async function sendTest(request: TestRequest, context: TestContext): Promise<SentTest> {
  const { event, way, to, timeoutMs } = context;
  const headers = request.headers.map(({ name, value }) => [name, value] as const);
  const bytes = serialiseRequest({ ...request, headers }, to);
  const received = await exchange(to, bytes, { methods: [request.method], timeoutMs });
  const [response] = received.responses;
  const verdict = judgeTestEvent(event, way, request, {
    status: response?.status ?? "closed",
    body: response?.body ?? "",
    durationMs: received.durationMs,
  });
  return { ...context, bytes, received, verdict };
}

function toJsonLine({ event, way, bytes, received, verdict, mask }: SentTest): string {
  const [response] = received.responses;
  return JSON.stringify({
    event: event.name,
    way: way.name,
    acknowledged: response?.status === 200,
    right: verdict.isRight,
    ...(verdict.finding && { finding: verdict.finding.code }),
    durationMs: Math.round(received.durationMs),
    status: response?.status ?? null,
    request: formatRequest(bytes, mask),
    response: response ? formatResponse(response, mask) : null,
  });
}

function formatTest(
  { event, way, to, bytes, received, verdict, timeoutMs, mask }: SentTest,
  isOneOfSeveral: boolean,
): string {
  const style = styleFor(process.stdout);
  const [response] = received.responses;
  const { isRight } = verdict;
  const isAsSent = way.name === "as-sent";
  // How the service would react to a plain event is more useful than the finding for the status.
  const showsReaction = isAsSent && (isRight || response?.status !== 200);
  const outcome = showsReaction ? describeReaction(event, received, timeoutMs) : verdict.text;
  const lines = [
    style("bold", isAsSent && !isOneOfSeveral ? "Sent" : `Sent: ${way.title}`),
    formatRequest(bytes, mask),
    "",
    style("bold", `Received after ${Math.round(received.durationMs)} ms`),
    formatResponse(response, mask),
    "",
    style(isRight ? "green" : "red", outcome),
  ];
  if (!showsReaction && verdict.finding) lines.push(...formatFinding(verdict.finding, style));
  if (!isRight) lines.push(`Send it again: ${toCommand(bytes, to, mask) ?? ""}`);
  return [...lines, ...(isOneOfSeveral ? [""] : [])].join("\n");
}

function formatFinding({ title, code, why, change }: NonNullable<TestVerdict["finding"]>, style: Style): string[] {
  const width = widthOf(process.stdout);
  return [
    style("bold", `${title} (${code})`),
    wrapText(`Why it matters: ${why}`, "  ", width),
    wrapText(`Change: ${change}`, "  ", width),
  ];
}

/** Describes how the service would react to the response. */
function describeReaction(
  event: TriggerEvent,
  { responses, isClosed, isTooLarge }: Exchange,
  timeoutMs: number,
): string {
  const { isRequest, path } = event;
  const [response] = responses;
  if (response?.status === 200) return isRequest ? "The receiver responded with 200." : "The receiver acknowledged it.";
  const consequence = describeConsequence(event);
  if (isTooLarge) return `The response is larger than 4 MiB. ${consequence}`;
  if (response) {
    const { advice } = describeEndpointProblem(path, response.status, response.headers.get("date"));
    const rule = isRequest ? "Only 200 is a success" : "Only 200 acknowledges an event";
    return `${rule}${advice}. ${consequence}`;
  }
  if (isClosed) return `The receiver closed the connection without a response. ${consequence}`;
  return `There was no response within ${timeoutMs / 1000} s. ${consequence}`;
}

/** Describes what the service would do after a failed attempt: it retries events, but sends requests only once (D-26). */
function describeConsequence({ isRequest, name }: TriggerEvent): string {
  if (!isRequest) return "The service would retry.";
  if (name === "contact-suggestions")
    return "The service would not retry, so the hirer would see no suggestions from this organisation.";
  return "The service would not retry, and would not save the URL in the company profile.";
}
