import { ProblemError } from "../problem/problem-error.ts";
import { verifyPassword } from "./passwords.ts";

/** Whether a password fits the hash that is kept of it. `account` names whoever signs in. */
export type CheckPassword = (account: string, password: string, kept: string | undefined) => Promise<boolean>;

/** Each takes 32 MiB and one of the four threads that name look-ups need too. */
const maxAtOnce = 2;
const maxWaiting = 16;

const maxWrong = 10;
const wrongMs = 5 * 60_000;
/** Of whom wrong passwords are remembered. */
const maxAccounts = 10_000;

/**
 * Makes the check, with a brake for those who guess: few at once, and ten wrong ones in five minutes for an account (D-55).
 *
 * @throws {ProblemError} `too_many_sign_ins`
 */
export function passwordCheck(now: () => Date, verify = verifyPassword): CheckPassword {
  const tries = new Map<string, { count: number; untilMs: number }>();
  const waiting: (() => void)[] = [];
  let running = 0;

  /** Counted before it is known to be wrong: else many at once would all pass. */
  function countTry(account: string): void {
    const nowMs = now().getTime();
    const known = tries.get(account);
    if (known !== undefined && nowMs < known.untilMs) {
      if (known.count === maxWrong) throw tooMany("after ten wrong passwords", known.untilMs - nowMs);
      known.count += 1;
      return;
    }
    tries.delete(account);
    const [oldest] = tries.keys();
    if (tries.size === maxAccounts && oldest !== undefined) tries.delete(oldest);
    tries.set(account, { count: 1, untilMs: nowMs + wrongMs });
  }

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

  return async (account, password, kept) => {
    if (waiting.length === maxWaiting) throw tooMany("while so many others sign in", 1_000);
    countTry(account);
    const proven = await inTurn(() => verify(password, kept));
    if (proven) tries.delete(account);
    return proven;
  };
}

const tooMany = (when: string, ms: number): ProblemError =>
  new ProblemError("too_many_sign_ins", `Nobody is signed in ${when}; wait for as long as Retry-After says.`, {
    headers: { "Retry-After": String(Math.ceil(ms / 1_000)) },
  });
