import type { Answer } from "./answer.ts";
import { HandlerError } from "./errors.ts";
import type { HandlerRun } from "./handler-context.ts";

/**
 * Runs a handler within its time.
 *
 * @throws {HandlerError} `handler_failed`, `handler_timed_out`, or `invalid_answer` from within
 */
export async function runHandler<Incoming>(
  handle: (context: HandlerRun<Incoming>["context"]) => Promise<Answer>,
  run: HandlerRun<Incoming>,
  endpoint: string,
  timeoutMs: number,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      run.expire();
      reject(new HandlerError("handler_timed_out", `The handler of ${endpoint} took more than ${timeoutMs} ms.`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([handle(run.context), timeout]);
  } catch (cause) {
    if (cause instanceof HandlerError) throw cause;
    throw new HandlerError("handler_failed", `The handler of ${endpoint} threw; see cause.`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
