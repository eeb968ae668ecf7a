import { randomBytes } from "node:crypto";
import type { Scheme } from "../signature/sign-request.ts";
import { buildBody, buildRequest, computeDigestValues, computeStandardValues } from "../vectors/request.ts";
import {
  type ReceiverNeeds,
  type Step,
  type TestVector,
  type TestVectors,
  toSteps,
  type VectorGroup,
} from "../vectors/vectors.ts";
import { type Address, defaultTimeoutMs, type Exchange, exchange } from "../wire/exchange.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import { isEventRequest } from "./select.ts";

/** Settings for sending cases. */
export interface SendSettings {
  config: TestVectors["config"];
  scheme: Scheme;
  /** The time limit for each exchange. @default 10,000, and 16,000 for an event */
  timeoutMs?: number | undefined;
}

/** Where a case is sent, and how to let a held handler in the receiver continue. */
export interface Target extends Address {
  /** The prefix of every path, without a trailing slash. */
  base: string;
  /** Resolves when a handler of this case is running. */
  waitUntilHeld?(): Promise<unknown>;
  /** Lets the held handler continue. */
  release?(): void;
}

/** A receiver to send the test vectors to. */
export interface Receiver {
  /** How many cases to send to it concurrently. */
  readonly concurrency: number;
  /** Returns a target for one case, isolated from other cases; undefined if this receiver cannot be set up for the case. */
  targetFor(needs: ReceiverNeeds): Target | undefined;
  /** Returns what the receiver recorded for the case sent to each target. Called after all cases have ended. */
  tally?(targets: Target[]): Promise<HandlerRecord[]>;
  /** Returns how many times handlers have run so far. Called only if `concurrency` is 1. */
  count?(): Promise<number>;
}

/** What a receiver recorded for one case. */
export interface HandlerRecord {
  handled: number;
  given?: unknown[];
  reasons?: string[];
}

/** A case that was sent, and its responses. */
export interface SentCase {
  group: string;
  testCase: TestVector;
  requests: Buffer[];
  /** One response per request; undefined if the connection was closed without a response. */
  responses: (WireResponse | undefined)[];
  /** How long each request took, in milliseconds. */
  durationsMs: number[];
  /** Why the exchange failed: no response in time, a response above the size limit, or more responses than requests. */
  failure?: "no_response" | "response_too_large" | "extra_response";
  /** Whether the connection was refused because nothing is listening any more. */
  isConnectionRefused?: boolean;
  /** The receiver's record of the case; undefined if the receiver records nothing. */
  recorded?: HandlerRecord;
  /** The value of `{{unique}}`. */
  unique: string;
  /** Secrets and digests, which no response may contain. */
  secrets: string[];
}

export interface SendCasesOptions extends SendSettings {
  groups: readonly VectorGroup[];
  /**
   * The current time for sender and receiver in cases that do not specify a time. @default the real time; cases with a fixed time are then
   * skipped
   */
  clock?: string | undefined;
  /** Called after each case. Returns whether to continue with the next case. */
  onCase?(sentCase: SentCase): boolean;
}

/** How many cases to send concurrently if the receiver has no counter of handler runs. */
export const defaultConcurrency = 4;

/** Sends every case that the receiver can be set up for. */
export async function sendCases(options: SendCasesOptions, receiver: Receiver): Promise<SentCase[]> {
  const sentCases: SentCase[] = [];
  const targets: Target[] = [];
  const queue = options.groups.flatMap(({ name, cases }) => cases.map((testCase) => ({ group: name, testCase })));
  const sendFromQueue = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { receiver: needs = {} } = next.testCase;
      if (options.clock === undefined && needs.clock !== undefined) continue;
      const instant = needs.clock ?? options.clock;
      const target = receiver.targetFor({ ...needs, ...(instant !== undefined && { clock: instant }) });
      if (!target) continue;
      const runsBefore = await receiver.count?.();
      const now = instant === undefined ? Date.now() : Date.parse(instant);
      const sentCase: SentCase = { ...next, ...(await sendCase(options, next.testCase, target, now)) };
      if (runsBefore !== undefined) sentCase.recorded = { handled: ((await receiver.count?.()) ?? 0) - runsBefore };
      sentCases.push(sentCase);
      targets.push(target);
      // Emptying the shared queue stops the concurrent senders too.
      if (options.onCase?.(sentCase) === false) queue.length = 0;
    }
  };
  await Promise.all(Array.from({ length: receiver.concurrency }, sendFromQueue));
  const handlerRecords = (await receiver.tally?.(targets)) ?? [];
  return sentCases.map((sentCase, index) => {
    const recorded = handlerRecords[index];
    return recorded === undefined ? sentCase : { ...sentCase, recorded };
  });
}

/** An attempt to deliver an event may take 15 seconds (D-25). */
const eventTimeoutMs = 16_000;

/** Sends the requests of a case, all signed with the same time. */
export async function sendCase(
  { config, scheme, timeoutMs }: SendSettings,
  testCase: TestVector,
  target: Target,
  now: number,
): Promise<Omit<SentCase, "group" | "testCase">> {
  const steps = toSteps(testCase);
  const isPipelined = "pipelined" in testCase && testCase.pipelined === true;
  const unique = randomBytes(6).toString("hex");
  const commonValues = { ...config.texts, unique, host: `${target.host}:${target.port}`, base: target.base };
  const signStep = (step: Step, id: string): Record<string, string> => {
    if (scheme === "timestampDigest")
      return {
        ...computeDigestValues(config, now, step.sign),
        ...prefixKeys("other.", computeDigestValues(config, now, step.other)),
      };
    const message = { id, body: buildBody(step.request, commonValues) };
    const other = computeStandardValues(config, now, step.other ?? {}, message);
    return { ...computeStandardValues(config, now, step.sign ?? {}, message), ...prefixKeys("other.", other) };
  };
  const values = steps.map((step, index) => ({ ...commonValues, ...signStep(step, `msg_${unique}${index}`) }));
  const requests = steps.map(({ request }, index) =>
    buildRequest(request, values[index] ?? {}, !isPipelined || index === steps.length - 1),
  );
  const methods = steps.map(findMethod);
  const isEvent = steps.some(({ request }) => isEventRequest(request));
  const limits = { timeoutMs: timeoutMs ?? (isEvent ? eventTimeoutMs : defaultTimeoutMs) };
  const send = (index: number): Promise<Exchange> =>
    exchange(target, requests[index] ?? Buffer.alloc(0), {
      methods: [methods[index] ?? ""],
      end: steps[index]?.request.end,
      ...limits,
    });

  const exchanges = isPipelined
    ? [await exchange(target, Buffer.concat(requests), { methods, ...limits })]
    : await sendInTurn(steps, send, target);
  const responses = isPipelined
    ? steps.map((_, index) => exchanges[0]?.responses[index])
    : exchanges.map(({ responses: [first] }) => first);
  const failure = findFailure(exchanges, isPipelined ? steps.length : 1);
  const signatures = values.flatMap((stepValues: Record<string, string>) =>
    ["digest", "DIGEST", "webhook.digest"].flatMap((name) => [
      stepValues[name] ?? "",
      stepValues[`other.${name}`] ?? "",
    ]),
  );
  return {
    requests,
    responses,
    durationsMs: exchanges.map(({ durationMs }) => durationMs),
    unique,
    secrets: [...Object.values(config.secrets), ...signatures],
    ...(failure !== undefined && { failure }),
    ...(exchanges.some(({ error }) => error === "ECONNREFUSED") && { isConnectionRefused: true }),
  };
}

/** Sends the steps in order. A step with `whileHeld` is sent while the handler of the previous step is still running. */
async function sendInTurn(steps: Step[], send: (index: number) => Promise<Exchange>, target: Target) {
  const exchanges: Promise<Exchange>[] = [];
  for (const [index, { whileHeld }] of steps.entries()) {
    const pendingExchange = send(index);
    exchanges.push(pendingExchange);
    const next = steps[index + 1];
    if (next?.whileHeld && !whileHeld) {
      // If the receiver rejects the request, no handler runs, and the exchange ends first.
      await Promise.race([target.waitUntilHeld?.(), pendingExchange]);
      continue;
    }
    await pendingExchange;
    if (!whileHeld || next?.whileHeld) continue;
    // This was the last step to send while the handler was held.
    target.release?.();
    await Promise.all(exchanges);
  }
  return Promise.all(exchanges);
}

function findFailure(exchanges: readonly Exchange[], requestCount: number): SentCase["failure"] {
  if (exchanges.some(({ isTooLarge }) => isTooLarge)) return "response_too_large";
  if (exchanges.some(({ responses }) => responses.length > requestCount)) return "extra_response";
  if (exchanges.some(({ isClosed, responses }) => !isClosed && responses.length === 0)) return "no_response";
  return undefined;
}

const findMethod = ({ request }: Step): string => request.raw?.split(" ")[0] ?? request.method ?? "GET";

const prefixKeys = (prefix: string, values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
