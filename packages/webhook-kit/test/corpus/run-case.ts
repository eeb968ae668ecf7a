import { randomBytes } from "node:crypto";
import { type Corpus, type CorpusCase, type Step, stepsOf } from "./corpus.ts";
import { type Exchange, exchange } from "./exchange.ts";
import type { CaseOutcome } from "./judge.ts";
import type { WireResponse } from "./read-responses.ts";
import { sign } from "./sign.ts";
import { writeRequest } from "./write-request.ts";

/** Where a case is sent, and how the receiver is reported to let go of a handler that it holds. */
export interface Target {
  host: string;
  port: number;
  /** What stands before every path, without a slash at its end. */
  base: string;
  /** Resolves when a handler of this case is at work. */
  untilHeld?(): Promise<unknown>;
  release?(): void;
}

/** Sends the requests of a case; all are signed by one variant of the clock. */
export async function runCase(
  config: Corpus["config"],
  each: CorpusCase,
  target: Target,
  now: number,
): Promise<CaseOutcome> {
  const steps = stepsOf(each);
  const unique = randomBytes(6).toString("hex");
  const host = `${target.host}:${target.port}`;
  const valuesOf = (step: Step): Record<string, string> => ({
    ...config.texts,
    ...sign(config, now, step.sign),
    ...prefixed("other.", sign(config, now, step.other)),
    ...{ unique, host, base: target.base },
  });
  const values = steps.map(valuesOf);
  const bytes = steps.map(({ request }, index) =>
    writeRequest(request, values[index] ?? {}, !isPipelined(each) || index === steps.length - 1),
  );
  const methods = steps.map(methodOf);
  const digests = values.flatMap(({ digest = "", DIGEST = "" }) => [digest, DIGEST]);
  const secrets = [...Object.values(config.secrets), ...digests];
  const send = (index: number): Promise<Exchange> =>
    exchange(target, bytes[index] ?? Buffer.alloc(0), [methods[index] ?? ""], steps[index]?.request.end);

  let exchanges: Exchange[];
  if (isPipelined(each)) exchanges = [await exchange(target, Buffer.concat(bytes), methods)];
  else exchanges = await sendInTurn(steps, send, target);
  const responses: (WireResponse | undefined)[] = isPipelined(each)
    ? steps.map((_, index) => exchanges[0]?.responses[index])
    : exchanges.map((one) => one.responses[0]);
  const extra = exchanges.some((one) => one.responses.length > (isPipelined(each) ? steps.length : 1));
  const silent = exchanges.some((one) => !one.isClosed && one.responses.length === 0);
  const problem = extra ? "responded more often than asked" : silent ? "did not respond in time" : undefined;
  return { responses, secrets, unique, ...(problem !== undefined && { problem }) };
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
