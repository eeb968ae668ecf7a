import type { Classification } from "../errors/connection-errors.ts";
import { AuthenticationError } from "../errors/error-classes.ts";
import type { FailedCall } from "../errors/failure.ts";
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
  { options }: PreparedRequest,
  remainingMs: number,
  refresh = false,
): Promise<boolean> {
  if (typeof apiKey === "string") return false;
  const before = call.key;
  call.key = await withTimeout(
    call,
    remainingMs,
    options.signal,
    async () => checkHeaderValue("apiKey", await apiKey({ refresh }), "invalid_api_key"),
    () => providerFailed,
  );
  return call.key !== before;
}
