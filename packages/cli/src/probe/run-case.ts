import { randomBytes } from "node:crypto";
import { type Corpus, type CorpusCase, type Step, stepsOf } from "../corpus/corpus.ts";
import { isForEvents } from "../corpus/select-cases.ts";
import { sign, signStandardWebhooks } from "../corpus/sign.ts";
import { writeBody, writeRequest } from "../corpus/write-request.ts";
import type { Scheme } from "../signature/sign-request.ts";
import { type Address, defaultTimeoutMs, type Exchange, exchange } from "../wire/exchange.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import type { CaseOutcome, Problem } from "./judge.ts";

/** Where a case is sent, and how the receiver is asked to release a handler that it holds. */
export interface Target extends Address {
  /** What stands before every path, without a slash at its end. */
  base: string;
  /** Resolves when a handler of this case is at work. */
  untilHeld?(): Promise<unknown>;
  release?(): void;
}

export interface RunSettings {
  config: Corpus["config"];
  scheme: Scheme;
  /** For each exchange. @default 10,000, and 16,000 for an event */
  timeoutMs?: number | undefined;
}

/** An attempt at an event may take 15 seconds (D-25). */
const eventTimeoutMs = 16_000;

/** Sends the requests of a case; all are signed by one reading of the clock. */
export async function runCase(
  { config, scheme, timeoutMs }: RunSettings,
  each: CorpusCase,
  target: Target,
  now: number,
): Promise<CaseOutcome> {
  const steps = stepsOf(each);
  const unique = randomBytes(6).toString("hex");
  const host = `${target.host}:${target.port}`;
  const valuesOf = (step: Step, index: number): Record<string, string> => {
    const values: Record<string, string> = { ...config.texts, unique, host, base: target.base };
    if (scheme === "timestampDigest")
      return {
        ...values,
        ...sign(config, now, step.sign),
        ...prefixed("other.", sign(config, now, step.other)),
      };
    const message = { id: `msg_${unique}${index}`, body: writeBody(step.request, values) };
    const standard = signStandardWebhooks(config, now, step.sign ?? {}, message);
    const other = signStandardWebhooks(config, now, step.other ?? {}, message);
    return { ...values, ...standard, ...prefixed("other.", other) };
  };
  const values = steps.map(valuesOf);
  const sent = steps.map(({ request }, index) =>
    writeRequest(request, values[index] ?? {}, !isPipelined(each) || index === steps.length - 1),
  );
  const methods = steps.map(methodOf);
  const signatures = values.flatMap((all) =>
    ["digest", "DIGEST", "webhook.digest"].flatMap((name) => [all[name] ?? "", all[`other.${name}`] ?? ""]),
  );
  const secrets = [...Object.values(config.secrets), ...signatures];
  const isEvent = steps.some(({ request }) => isForEvents(request));
  const limits = { timeoutMs: timeoutMs ?? (isEvent ? eventTimeoutMs : defaultTimeoutMs) };
  const send = (index: number): Promise<Exchange> =>
    exchange(target, sent[index] ?? Buffer.alloc(0), {
      methods: [methods[index] ?? ""],
      end: steps[index]?.request.end,
      ...limits,
    });

  let exchanges: Exchange[];
  if (isPipelined(each)) exchanges = [await exchange(target, Buffer.concat(sent), { methods, ...limits })];
  else exchanges = await sendInTurn(steps, send, target);
  const responses: (WireResponse | undefined)[] = isPipelined(each)
    ? steps.map((_, index) => exchanges[0]?.responses[index])
    : exchanges.map((one) => one.responses[0]);
  const problem = findProblem(exchanges, isPipelined(each) ? steps.length : 1);
  const durationsMs = exchanges.map((one) => one.durationMs);
  const isRefused = exchanges.some(({ error }) => error === "ECONNREFUSED");
  return {
    responses,
    sent,
    durationsMs,
    secrets,
    unique,
    ...(problem !== undefined && { problem }),
    ...(isRefused && { isRefused }),
  };
}

function findProblem(exchanges: readonly Exchange[], asked: number): Problem | undefined {
  if (exchanges.some((one) => one.isTooLarge)) return "response_too_large";
  if (exchanges.some((one) => one.responses.length > asked)) return "extra_response";
  if (exchanges.some((one) => !one.isClosed && one.responses.length === 0)) return "no_response";
  return undefined;
}

/** One after the other, but a step that says so is sent while the handler of the one before it is at work. */
async function sendInTurn(steps: Step[], send: (index: number) => Promise<Exchange>, target: Target) {
  const exchanges: Promise<Exchange>[] = [];
  for (const [index, { whileHeld }] of steps.entries()) {
    const sent = send(index);
    exchanges.push(sent);
    const next = steps[index + 1];
    if (next?.whileHeld && !whileHeld) {
      await Promise.race([target.untilHeld?.(), sent]);
      continue;
    }
    await sent;
    if (!whileHeld || next?.whileHeld) continue;
    target.release?.();
    await Promise.all(exchanges);
  }
  return Promise.all(exchanges);
}

const isPipelined = (each: CorpusCase): boolean => "pipelined" in each && each.pipelined === true;

const methodOf = ({ request }: Step): string => request.raw?.split(" ")[0] ?? request.method ?? "GET";

const prefixed = (prefix: string, values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [prefix + name, value]));
