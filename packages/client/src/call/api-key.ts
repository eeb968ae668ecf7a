import type { Classification } from "../errors/connection-errors.ts";
import { AuthenticationError, TimeoutError } from "../errors/error-classes.ts";
import { type FailedCall, Failure, wrap } from "../errors/failure.ts";
import type { ApiKey } from "../options/options.ts";
import { checkHeaderValue } from "../options/settings.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import { withTimeout } from "./with-timeout.ts";

const providerFailed: Classification = [AuthenticationError, "api_key_provider_failed", "the apiKey function failed"];

/**
 * Sets the key of a call to the one that the `apiKey` function returns (D-47).
 *
 * @param refresh whether the service has rejected the key before
 * @returns whether the key is another one
 */
export async function loadApiKey(
  apiKey: ApiKey,
  call: FailedCall,
  { options: { totalTimeoutMs, signal } }: PreparedRequest,
  remainingMs: number,
  refresh = false,
): Promise<boolean> {
  if (typeof apiKey === "string") return false;
  const before = call.key;
  const ask = async () => {
    let key: unknown;
    try {
      key = await apiKey({ refresh });
    } catch (thrown) {
      throw wrap(thrown, before, providerFailed);
    }
    return checkHeaderValue("apiKey", key, "invalid_api_key");
  };
  const message = `the apiKey function returned no key within totalTimeoutMs (${totalTimeoutMs} ms)`;
  call.key = await withTimeout(remainingMs, signal, ask, (aborted) => aborted ?? new Failure(TimeoutError, message));
  return call.key !== before;
}
