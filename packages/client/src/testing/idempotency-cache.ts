import type { IncomingRequest, ServiceResponse } from "./incoming-request.ts";
import type { Organisation } from "./offer-store.ts";
import { invalidRequest, Refusal } from "./refusal.ts";

/** How long a response can be replayed (D-40). */
const retentionMs = 24 * 60 * 60 * 1_000;

interface StoredResponse {
  fingerprint: string;
  response: ServiceResponse;
  expiresAtMs: number;
}

/** The responses to requests that have an `Idempotency-Key`, by organisation. */
export class IdempotencyCache {
  readonly #responses = new WeakMap<Organisation, Map<string, StoredResponse>>();

  /**
   * Runs `effect`, or replays the stored response if the same request has already succeeded with its key. Without a key, always runs
   * `effect`. If `effect` throws, the key can be used again.
   *
   * @param fingerprint identifies the request
   * @throws {Refusal} `idempotency_key_reused`, or `invalid_request` for an invalid key
   */
  runOnce(
    { headers }: IncomingRequest,
    caller: Organisation,
    now: Date,
    fingerprint: string,
    effect: () => ServiceResponse,
  ): ServiceResponse {
    const key = headers.get("idempotency-key");
    if (key === null) return effect();
    if (!/^[ -~]{1,255}$/.test(key))
      throw invalidRequest(
        new Map([["Idempotency-Key", ["Send at most one Idempotency-Key, of 1 to 255 printable ASCII characters."]]]),
      );
    const responses = this.#responses.get(caller) ?? new Map<string, StoredResponse>();
    this.#responses.set(caller, responses);
    const storedResponse = responses.get(key);
    if (storedResponse === undefined || storedResponse.expiresAtMs <= now.getTime()) {
      const response = effect();
      responses.set(key, { fingerprint, response, expiresAtMs: now.getTime() + retentionMs });
      return response;
    }
    if (storedResponse.fingerprint === fingerprint) return toReplayedResponse(storedResponse.response);
    throw new Refusal("idempotency_key_reused", "Another request used this key; use a new key for every request.");
  }
}

const toReplayedResponse = (response: ServiceResponse): ServiceResponse => ({
  ...response,
  headers: { ...response.headers, "Idempotency-Replayed": "true" },
});
