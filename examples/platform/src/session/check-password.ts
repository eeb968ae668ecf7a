import { networkOf } from "../http/network-of.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { verifyPassword } from "./passwords.ts";

/** An account, and the address that tries to sign in to it. */
export interface SignInAttempt {
  account: string;
  /** The caller's IP address; empty when unknown. */
  address: string;
}

/** Whether a password matches the stored hash. */
export type CheckPassword = (attempt: SignInAttempt, password: string, kept: string | undefined) => Promise<boolean>;

/** A check takes 32 MiB and one of the four libuv threads, which DNS look-ups need too. */
const maxAtOnce = 2;
const maxWaiting = 16;

const wrongMs = 5 * 60_000;
const maxWrongFromNetwork = 10;
/** From all networks: an attacker needs ten networks to lock out the owner of an account. */
const maxWrong = 100;
/** Accounts, or accounts and networks, whose failed attempts are counted. */
const maxRemembered = 10_000;

/**
 * Creates a rate-limited password check: two at once, and within five minutes ten failed attempts for an account from one
 * network, and a hundred from all networks (D-55).
 *
 * @throws {ProblemError} `too_many_sign_ins`
 */
export function passwordCheck(now: () => Date, verify = verifyPassword): CheckPassword {
  const fromNetwork = new FailedAttempts(maxWrongFromNetwork);
  const fromAnywhere = new FailedAttempts(maxWrong);
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(work: () => Promise<boolean>): Promise<boolean> {
    if (running < maxAtOnce) running += 1;
    // A finished check passes its turn on.
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next !== undefined) next();
      else running -= 1;
    }
  }

  return async ({ account, address }, password, kept) => {
    if (waiting.length === maxWaiting) throw tooMany("Too many sign-ins at once", 1_000);
    const place = JSON.stringify([account, networkOf(address)]);
    const nowMs = now().getTime();
    // Counted before the check, or concurrent attempts would all pass. The network first: attempts that it rejects do not
    // count against the owner, who signs in from another network.
    fromNetwork.count(place, nowMs);
    fromAnywhere.count(account, nowMs);
    const matches = await inTurn(() => verify(password, kept));
    if (matches) {
      fromNetwork.reset(place);
      // Other attempts still count: a sign-in of the owner must not give an attacker a hundred more.
      fromAnywhere.decrement(account);
    }
    return matches;
  };
}

/** Counts attempts within five minutes of the first. */
class FailedAttempts {
  readonly #max: number;
  readonly #attempts = new Map<string, { count: number; untilMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws {ProblemError} `too_many_sign_ins` */
  count(key: string, nowMs: number): void {
    const known = this.#attempts.get(key);
    if (known !== undefined && nowMs < known.untilMs) {
      if (known.count === this.#max)
        throw tooMany(`After ${this.#max} failed sign-ins this account is locked`, known.untilMs - nowMs);
      known.count += 1;
      return;
    }
    this.#attempts.delete(key);
    const [oldest] = this.#attempts.keys();
    if (this.#attempts.size === maxRemembered && oldest !== undefined) this.#attempts.delete(oldest);
    this.#attempts.set(key, { count: 1, untilMs: nowMs + wrongMs });
  }

  reset(key: string): void {
    this.#attempts.delete(key);
  }

  decrement(key: string): void {
    const known = this.#attempts.get(key);
    if (known !== undefined) known.count -= 1;
  }
}

const tooMany = (reason: string, ms: number): ProblemError =>
  new ProblemError("too_many_sign_ins", `${reason}; wait for as long as Retry-After says.`, {
    headers: { "Retry-After": String(Math.ceil(ms / 1_000)) },
  });
