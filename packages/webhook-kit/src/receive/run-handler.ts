import { HandlerError } from "../errors.ts";
import type { Answer } from "../http/response.ts";
import type { Awaitable } from "./after.ts";
import { handlerFailed } from "./handler-failed.ts";
import { HandlerRun } from "./handler-run.ts";

/** A handler at work, or done. Nothing can stop it, so it may outlive its time. */
export interface RunningHandler {
  /** Its answer within its time (D-25). Rejects with {@link HandlerError} as `outcome` does, or with `handler_timed_out`. */
  readonly answer: Awaitable<Answer>;
  /** What it comes to in the end, in time or not. Rejects with `handler_failed`, or `invalid_answer` from within. */
  readonly outcome: Awaitable<Answer>;
}

/** @throws {HandlerError} `handler_failed`, or `invalid_answer` from within, when it fails at once */
export function runHandler<Incoming>(
  handle: (run: HandlerRun<Incoming>) => Awaitable<Answer>,
  run: HandlerRun<Incoming>,
  endpoint: string,
  timeoutMs: number,
): RunningHandler {
  const fail = (cause: unknown): never => {
    if (cause instanceof HandlerError) throw cause;
    return handlerFailed(endpoint)(cause);
  };
  let outcome: Awaitable<Answer>;
  try {
    outcome = handle(run);
  } catch (cause) {
    return fail(cause);
  }
  if (!(outcome instanceof Promise)) return { answer: outcome, outcome };
  const inTheEnd = outcome.catch(fail);
  const answer = new Promise<Answer>((resolve, reject) => {
    const timer = setTimeout(() => {
      HandlerRun.expire(run);
      reject(new HandlerError("handler_timed_out", `The handler of ${endpoint} took more than ${timeoutMs} ms.`));
    }, timeoutMs);
    inTheEnd.then(resolve, reject).finally(() => clearTimeout(timer));
  });
  return { answer, outcome: inTheEnd };
}
