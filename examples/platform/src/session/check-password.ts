import { networkOf } from "../http/network-of.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { verifyPassword } from "./passwords.ts";

/** Who wants to sign in, and from where. */
export interface SignInTry {
  account: string;
  /** Of the caller. Empty when it is not known. */
  address: string;
}

/** Whether a password fits the hash that is kept of it. */
export type CheckPassword = (who: SignInTry, password: string, kept: string | undefined) => Promise<boolean>;

/** Each takes 32 MiB and one of the four threads that name look-ups need too. */
const maxAtOnce = 2;
const maxWaiting = 16;

const wrongMs = 5 * 60_000;
/** Few enough that guessing from one place leads nowhere. */
const maxWrongFromNetwork = 10;
/** Over all networks. Ten networks are needed to keep the owner of an account out. */
const maxWrong = 100;
/** Of whom wrong passwords are remembered. */
const maxRemembered = 10_000;

/**
 * Makes the check, with a brake for those who guess: few at once, and within five minutes ten wrong ones for an account from
 * one network, a hundred from all together (D-55).
 *
 * @throws {ProblemError} `too_many_sign_ins`
 */
export function passwordCheck(now: () => Date, verify = verifyPassword): CheckPassword {
  const fromNetwork = new WrongTries(maxWrongFromNetwork);
  const fromAnywhere = new WrongTries(maxWrong);
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn(work: () => Promise<boolean>): Promise<boolean> {
    if (running < maxAtOnce) running += 1;
    // Whoever is done hands its turn over.
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
    if (waiting.length === maxWaiting) throw tooMany("while so many others sign in", 1_000);
    const place = JSON.stringify([account, networkOf(address)]);
    const nowMs = now().getTime();
    // Counted before they are known to be wrong: else many at once would all pass. The first one first: tries that it
    // refuses do not count against the owner, who is elsewhere.
    fromNetwork.count(place, nowMs);
    fromAnywhere.count(account, nowMs);
    const proven = await inTurn(() => verify(password, kept));
    if (proven) {
      fromNetwork.forget(place);
      // The others' tries go on to count: the owner's sign-in must not give a guesser a hundred more.
      fromAnywhere.takeBack(account);
    }
    return proven;
  };
}

/** Tries within five minutes of the first. */
class WrongTries {
  readonly #max: number;
  readonly #tries = new Map<string, { count: number; untilMs: number }>();

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws {ProblemError} `too_many_sign_ins` */
  count(key: string, nowMs: number): void {
    const known = this.#tries.get(key);
    if (known !== undefined && nowMs < known.untilMs) {
      if (known.count === this.#max) throw tooMany(`after ${this.#max} wrong passwords`, known.untilMs - nowMs);
      known.count += 1;
      return;
    }
    this.#tries.delete(key);
    const [oldest] = this.#tries.keys();
    if (this.#tries.size === maxRemembered && oldest !== undefined) this.#tries.delete(oldest);
    this.#tries.set(key, { count: 1, untilMs: nowMs + wrongMs });
  }

  forget(key: string): void {
    this.#tries.delete(key);
  }

  takeBack(key: string): void {
    const known = this.#tries.get(key);
    if (known !== undefined) known.count -= 1;
  }
}

const tooMany = (when: string, ms: number): ProblemError =>
  new ProblemError("too_many_sign_ins", `Nobody is signed in ${when}; wait for as long as Retry-After says.`, {
    headers: { "Retry-After": String(Math.ceil(ms / 1_000)) },
  });
