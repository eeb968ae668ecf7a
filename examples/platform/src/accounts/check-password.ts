import pLimit from "p-limit";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { networkOf } from "../http/network-of.ts";
import { consume } from "./consume.ts";
import { verifyPassword } from "./passwords.ts";
import { tooManyRequests } from "./too-many-requests.ts";

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

const windowSeconds = 5 * 60;
const maxFromNetwork = 10;
/** From all networks: an attacker needs ten networks to lock out the owner of an account. */
const maxFromAnywhere = 100;

/**
 * Creates a rate-limited password check, against guessing by brute force: two at once, and within five minutes ten failed attempts for an account from one
 * network, and a hundred from all networks (D-55). The time that a check takes bounds how many accounts are counted.
 *
 * @throws {ProblemError} `too_many_sign_ins`
 */
export function passwordCheck(verify = verifyPassword): CheckPassword {
  const fromNetwork = new RateLimiterMemory({ points: maxFromNetwork, duration: windowSeconds });
  const fromAnywhere = new RateLimiterMemory({ points: maxFromAnywhere, duration: windowSeconds });
  const inTurn = pLimit(maxAtOnce);
  let inProgress = 0;

  const count = (limiter: RateLimiterMemory, key: string): Promise<void> =>
    consume(limiter, key, `After ${limiter.points} failed sign-ins this account is locked`, "too_many_sign_ins");

  return async ({ account, address }, password, kept) => {
    if (inProgress === maxAtOnce + maxWaiting)
      throw tooManyRequests("Too many sign-ins at once", 1, "too_many_sign_ins");
    inProgress += 1;
    try {
      const accountThere = JSON.stringify([account, networkOf(address)]);
      // Counted before the check, or concurrent attempts would all pass. The network first: attempts that it rejects do not
      // count against the owner, who signs in from another network.
      await count(fromNetwork, accountThere);
      await count(fromAnywhere, account);
      const matches = await inTurn(() => verify(password, kept));
      if (matches) {
        await fromNetwork.delete(accountThere);
        // Other attempts still count: a sign-in of the owner must not give an attacker a hundred more.
        await fromAnywhere.reward(account);
      }
      return matches;
    } finally {
      inProgress -= 1;
    }
  };
}
