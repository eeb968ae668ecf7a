import type { ClientSettings } from "../options/read-settings.ts";
import type { ReceivedResponse } from "../response/received-response.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import { sendThroughMiddleware } from "./send-through-middleware.ts";
import { withTimeout } from "./with-timeout.ts";

/**
 * One attempt, from its start to the end of the response body. Its request timeout is `timeoutMs`, or what is left of
 * `totalTimeoutMs` if that is less (D-25).
 *
 * @param call its `attempts` grow by one unless the caller's signal is already aborted
 */
export function sendOnce(
  request: PreparedRequest,
  call: { attempts: number },
  key: string,
  remainingMs: number,
  { keyHeader, options }: ClientSettings,
): Promise<ReceivedResponse> {
  const { timeoutMs, totalTimeoutMs } = request.limits;
  return withTimeout(
    Math.min(timeoutMs, remainingMs),
    request.signal,
    (signal) => {
      call.attempts += 1;
      const headers = { ...request.headers, [keyHeader]: key };
      return sendThroughMiddleware({ ...request.template, attempt: call.attempts, headers, signal }, options, key);
    },
    () => {
      const limit = timeoutMs > remainingMs ? `totalTimeoutMs (${totalTimeoutMs} ms)` : `timeoutMs (${timeoutMs} ms)`;
      return `no complete response within ${limit}; allow more time`;
    },
  );
}
