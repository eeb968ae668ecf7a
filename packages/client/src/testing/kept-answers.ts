import type { Answer, Arrival } from "./exchange.ts";
import type { Organisation } from "./offer-book.ts";
import { invalidRequest, Refusal } from "./refusal.ts";

/** D-40 */
const keepMs = 24 * 60 * 60 * 1_000;

interface Kept {
  fingerprint: string;
  answer: Answer;
  until: number;
}

/** What took effect under an `Idempotency-Key`, per organisation. */
export class KeptAnswers {
  readonly #kept = new WeakMap<Organisation, Map<string, Kept>>();

  /**
   * Runs `effect`, unless this request has had its effect under its key. An effect that throws uses up no key.
   *
   * @param fingerprint tells the request from others
   * @throws {Refusal} `idempotency_key_reused`, or `invalid_request` for what can be no key
   */
  once({ headers }: Arrival, caller: Organisation, now: Date, fingerprint: string, effect: () => Answer): Answer {
    const key = headers.get("idempotency-key");
    if (key === null) return effect();
    if (!/^[ -~]{1,255}$/.test(key))
      throw invalidRequest(
        new Map([["Idempotency-Key", ["Give one key of 1 to 255 printable ASCII characters, or none."]]]),
      );
    const kept = this.#kept.get(caller) ?? new Map<string, Kept>();
    this.#kept.set(caller, kept);
    const first = kept.get(key);
    if (first === undefined || first.until <= now.getTime()) {
      const answer = effect();
      kept.set(key, { fingerprint, answer, until: now.getTime() + keepMs });
      return answer;
    }
    if (first.fingerprint === fingerprint)
      return { ...first.answer, headers: { ...first.answer.headers, "Idempotency-Replayed": "true" } };
    throw new Refusal("idempotency_key_reused", "Another request used this key; use a new key for every request.");
  }
}
