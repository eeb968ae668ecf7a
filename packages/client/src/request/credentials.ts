import { redacted } from "../errors/redact.ts";
import { AuthenticationError } from "../errors/response-errors.ts";
import { toOffersError } from "../errors/to-offers-error.ts";
import { checkHeaderValue } from "../options/check-header.ts";
import type { ApiKey } from "../options/options.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import { withTimeout } from "./with-timeout.ts";

/** The API key of one call: a string, or what the `apiKey` function returns (D-47). */
export class Credentials {
  /** Until the function has returned a key, the text that stands for it in messages. */
  key: string;
  /** How many attempts were made for a fresh key: they are no retries. */
  refreshes = 0;
  readonly #apiKey: ApiKey;

  constructor(apiKey: ApiKey) {
    this.#apiKey = apiKey;
    this.key = typeof apiKey === "string" ? apiKey : redacted;
  }

  /**
   * Calls the `apiKey` function, if there is one.
   *
   * @throws {AuthenticationError} `api_key_provider_failed`
   * @throws {UsageError} `invalid_api_key`
   */
  async load({ limits, signal }: PreparedRequest, remainingMs: number, refresh = false): Promise<void> {
    const apiKey = this.#apiKey;
    if (typeof apiKey === "string") return;
    this.key = await withTimeout(
      remainingMs,
      signal,
      async () => {
        let key: unknown;
        try {
          key = await apiKey({ refresh });
        } catch (thrown) {
          throw toOffersError(thrown, this.key, AuthenticationError, "api_key_provider_failed");
        }
        return checkHeaderValue("apiKey", key, "invalid_api_key");
      },
      () => `the apiKey function returned no key within totalTimeoutMs (${limits.totalTimeoutMs} ms)`,
    );
  }

  /** Once, after a 401. @returns whether the function gave another key */
  async refresh(request: PreparedRequest, remainingMs: number): Promise<boolean> {
    const rejected = this.key;
    if (this.refreshes++ === 0) await this.load(request, remainingMs, true);
    return this.key !== rejected;
  }
}
