import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { consume, networkOf, tooManyRequests } from "./rate-limits.ts";

/** The account that somebody tries to sign in to, and the caller's address. */
export interface SignInAttempt {
  account: string;
  /** The caller's IP address; empty when unknown. */
  address: string;
}

/** Resolves with whether a password matches the stored hash. */
export type CheckPassword = (attempt: SignInAttempt, password: string, kept: string | undefined) => Promise<boolean>;

/** Each check takes 32 MiB and one of the four libuv threads, which DNS lookups also need. */
const maxConcurrent = 2;
const maxWaiting = 16;

const windowSeconds = 5 * 60;
const maxFromNetwork = 10;
/** The limit across all networks. An attacker needs ten networks to lock an account's owner out. */
const maxFromAnywhere = 100;

/**
 * The sign-in limit, which prevents guessing passwords by brute force (D-55): within five minutes, an account accepts ten failed
 * attempts from one network, and a hundred from all networks. Two checks run at a time; since each takes a while, this also
 * limits how many accounts are counted.
 *
 * @throws {ProblemError} `too_many_sign_ins`
 */
export function passwordCheck({ verify }: Pick<Passwords, "verify">): CheckPassword {
  const fromNetwork = new RateLimiterMemory({ points: maxFromNetwork, duration: windowSeconds });
  const fromAnywhere = new RateLimiterMemory({ points: maxFromAnywhere, duration: windowSeconds });
  const inTurn = pLimit(maxConcurrent);
  let inProgress = 0;

  const count = (limiter: RateLimiterMemory, key: string): Promise<void> =>
    consume(limiter, key, `This account is locked after ${limiter.points} failed sign-ins`, "too_many_sign_ins");

  return async ({ account, address }, password, kept) => {
    if (inProgress === maxConcurrent + maxWaiting)
      throw tooManyRequests("Too many concurrent sign-ins", 1, "too_many_sign_ins");
    inProgress += 1;
    try {
      const accountThere = JSON.stringify([account, networkOf(address)]);
      // Count before the check, or concurrent attempts would all pass. Count the network first: attempts that it rejects do not
      // count against the owner, who signs in from another network.
      await count(fromNetwork, accountThere);
      await count(fromAnywhere, account);
      const matches = await inTurn(() => verify(password, kept));
      if (matches) {
        await fromNetwork.delete(accountThere);
        // Earlier failures still count: the owner's sign-in must not give an attacker a hundred more attempts.
        await fromAnywhere.reward(account);
      }
      return matches;
    } finally {
      inProgress -= 1;
    }
  };
}

const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

// OWASP's scrypt parameters with N = 2^15 and p = 3. Its first choice, N = 2^17, needs 128 MiB, too much next to PGlite.
const defaultCost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;

/** Password hashing with scrypt. */
export interface Passwords {
  /** @returns `scrypt$N$r$p$salt$key`, the last two in base64url */
  hash(password: string): Promise<string>;
  /**
   * Compares in constant time, to prevent timing attacks. An unknown account takes as long as a known one, so that response
   * times allow no enumeration of accounts.
   *
   * @param kept a hash of any cost; undefined for an unknown account
   */
  verify(password: string, kept: string | undefined): Promise<boolean>;
}

/** @param cost used for new hashes; at the default, one takes 0.3 s of CPU time */
export const scryptPasswords = (cost = defaultCost): Passwords => ({
  async hash(password) {
    const salt = randomBytes(16);
    const key = await derive(password, salt, cost);
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$");
  },
  async verify(password, kept) {
    const { cost: keptCost, salt, key } = parseHash(kept ?? "");
    const derived = await derive(password, salt, keptCost ?? cost);
    return keptCost !== undefined && key.length === keyBytes && timingSafeEqual(derived, key);
  },
});

/** Whether `text` is a hash that a password can match. */
export function isPasswordHash(text: string): boolean {
  const { scheme, cost, key } = parseHash(text);
  return scheme === "scrypt" && cost !== undefined && key.length === keyBytes;
}

function parseHash(text: string) {
  const [scheme, N, r, p, salt = "", key = ""] = text.split("$");
  return {
    scheme,
    cost: costOf(Number(N), Number(r), Number(p)),
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
}

/** Returns undefined for parameters that scrypt rejects, or that need more than four times the default memory or passes. */
function costOf(N: number, r: number, p: number): typeof defaultCost | undefined {
  const isOne = Number.isInteger(Math.log2(N)) && N > 1 && Number.isInteger(r) && r > 0 && Number.isInteger(p) && p > 0;
  return isOne && N * r <= 4 * defaultCost.N * defaultCost.r && p <= 4 * defaultCost.p ? { N, r, p } : undefined;
}

const derive = (password: string, salt: Uint8Array, { N, r, p }: typeof defaultCost): Promise<Buffer> =>
  deriveKey(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r + 2 ** 20 });
