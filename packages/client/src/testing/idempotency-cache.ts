import type { IncomingRequest, ServiceResponse } from "./incoming-request.ts";
import type { Organisation } from "./offer-store.ts";
import { invalidRequest, Refusal } from "./refusal.ts";

/** D-40 */
const keepMs = 24 * 60 * 60 * 1_000;

interface Kept {
  fingerprint: string;
  response: ServiceResponse;
  until: number;
}

/** The responses to requests with an `Idempotency-Key`, by organisation. */
export class IdempotencyCache {
  readonly #kept = new WeakMap<Organisation, Map<string, Kept>>();

  /**
   * Runs `effect`, unless the same request has already taken effect under its key. An effect that throws does not use up the key.
   *
   * @param fingerprint identifies the request
   * @throws {Refusal} `idempotency_key_reused`, or `invalid_request` for an invalid key
   */
  once(
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
    const kept = this.#kept.get(caller) ?? new Map<string, Kept>();
    this.#kept.set(caller, kept);
    const first = kept.get(key);
    if (first === undefined || first.until <= now.getTime()) {
      const response = effect();
      kept.set(key, { fingerprint, response, until: now.getTime() + keepMs });
      return response;
    }
    if (first.fingerprint === fingerprint)
      return { ...first.response, headers: { ...first.response.headers, "Idempotency-Replayed": "true" } };
    throw new Refusal("idempotency_key_reused", "Another request used this key; use a new key for every request.");
  }
}
