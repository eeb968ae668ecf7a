import type { Answer } from "./answer.ts";
import { HandlerError } from "./errors.ts";
import type { HandlerRun } from "./handler-context.ts";

/** A handler at work. Nothing can stop it, so it may outlive its time. */
export interface RunningHandler {
  /** Its answer within its time (D-25). Rejects with {@link HandlerError} as `outcome` does, or with `handler_timed_out`. */
  readonly answer: Promise<Answer>;
  /** What it comes to in the end, in time or not. Rejects with `handler_failed`, or `invalid_answer` from within. */
  readonly outcome: Promise<Answer>;
}

export function runHandler<Incoming>(
  handle: (context: HandlerRun<Incoming>["context"]) => Promise<Answer>,
  run: HandlerRun<Incoming>,
  endpoint: string,
  timeoutMs: number,
): RunningHandler {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      run.expire();
      reject(new HandlerError("handler_timed_out", `The handler of ${endpoint} took more than ${timeoutMs} ms.`));
    }, timeoutMs);
  });
  const outcome = handle(run.context).catch((cause: unknown) => {
    if (cause instanceof HandlerError) throw cause;
    throw new HandlerError("handler_failed", `The handler of ${endpoint} threw; see cause.`, { cause });
  });
  return { answer: Promise.race([outcome, timeout]).finally(() => clearTimeout(timer)), outcome };
}
