import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import pLimit from "p-limit";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { consume, toNetwork, tooManyRequests } from "./rate-limits.ts";

/** The account that someone is trying to sign in to, and the caller's address. */
export interface SignInAttempt {
  account: string;
  /** The caller's IP address; empty if unknown. */
  address: string;
}

/** Resolves with whether a password matches the stored hash. */
export type CheckPassword = (
  attempt: SignInAttempt,
  password: string,
  storedHash: string | undefined,
) => Promise<boolean>;

/** The maximum number of checks that run at a time. Each uses 32 MiB and one of the four libuv threads, which DNS lookups also need. */
const maxConcurrent = 2;
const maxWaiting = 16;

const windowSeconds = 5 * 60;
const maxFromNetwork = 10;
/** The limit across all networks. An attacker needs ten networks to lock out an account's owner. */
const maxFromAnywhere = 100;

/**
 * Creates a function that checks passwords, with a sign-in limit that prevents guessing by brute force (D-55). In five minutes, it
 * allows ten failed attempts per account from one network, and a hundred from all networks. Only two checks run at a time, and they
 * are slow, so the counters need little memory.
 *
 * @returns a function that rejects with the `ProblemError` `too_many_sign_ins` if the account is locked or too many checks are waiting
 */
export function createPasswordCheck({ verify }: Pick<Passwords, "verify">): CheckPassword {
  const fromNetwork = new RateLimiterMemory({ points: maxFromNetwork, duration: windowSeconds });
  const fromAnywhere = new RateLimiterMemory({ points: maxFromAnywhere, duration: windowSeconds });
  const limitConcurrency = pLimit(maxConcurrent);
  let checksInProgress = 0;

  const countAttempt = (limiter: RateLimiterMemory, key: string): Promise<void> =>
    consume(limiter, key, `This account is locked after ${limiter.points} failed sign-ins`, "too_many_sign_ins");

  return async ({ account, address }, password, storedHash) => {
    if (checksInProgress === maxConcurrent + maxWaiting)
      throw tooManyRequests("Too many concurrent sign-ins", 1, "too_many_sign_ins");
    checksInProgress += 1;
    try {
      const accountAndNetwork = JSON.stringify([account, toNetwork(address)]);
      // Count before the check, because otherwise all concurrent attempts would be allowed. Count per network first, because attempts
      // rejected by that limit must not count against the owner, who may sign in from a different network.
      await countAttempt(fromNetwork, accountAndNetwork);
      await countAttempt(fromAnywhere, account);
      const isCorrect = await limitConcurrency(() => verify(password, storedHash));
      if (isCorrect) {
        await fromNetwork.delete(accountAndNetwork);
        // Earlier failures still count, because a sign-in by the owner must not allow an attacker a hundred more attempts.
        await fromAnywhere.reward(account);
      }
      return isCorrect;
    } finally {
      checksInProgress -= 1;
    }
  };
}

const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

// OWASP's scrypt parameters with N = 2^15 and p = 3. Its first choice, N = 2^17, needs 128 MiB, too much next to PGlite.
const defaultCost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;

/** Password hashing with scrypt. */
export interface Passwords {
  /** Hashes a password. @returns `scrypt$N$r$p$salt$key`, with salt and key in base64url */
  hash(password: string): Promise<string>;
  /**
   * Checks a password against a hash in constant time, to prevent timing attacks. For an unknown account, takes as long as for a hash of
   * the current cost, so that response times do not allow enumeration of accounts.
   *
   * @param storedHash a hash of any cost; undefined for an unknown account
   */
  verify(password: string, storedHash: string | undefined): Promise<boolean>;
}

/** Creates a password hasher that uses scrypt. @param cost the cost of new hashes; the default takes 0.3 s of CPU time for each */
export const createScryptPasswords = (cost = defaultCost): Passwords => ({
  async hash(password) {
    const salt = randomBytes(16);
    const key = await derive(password, salt, cost);
    return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$");
  },
  async verify(password, storedHash) {
    const { cost: storedCost, salt, key } = parseHash(storedHash ?? "");
    const derivedKey = await derive(password, salt, storedCost ?? cost);
    return storedCost !== undefined && key.length === keyBytes && timingSafeEqual(derivedKey, key);
  },
});

/** Returns whether `text` is a hash that a password can match. */
export function isPasswordHash(text: string): boolean {
  const { scheme, cost, key } = parseHash(text);
  return scheme === "scrypt" && cost !== undefined && key.length === keyBytes;
}

function parseHash(text: string) {
  const [scheme, N, r, p, salt = "", key = ""] = text.split("$");
  return {
    scheme,
    cost: toCost(Number(N), Number(r), Number(p)),
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
}

/** Returns the cost; undefined if scrypt rejects the parameters or they exceed four times the default memory or passes. */
function toCost(N: number, r: number, p: number): typeof defaultCost | undefined {
  const isValid =
    Number.isInteger(Math.log2(N)) && N > 1 && Number.isInteger(r) && r > 0 && Number.isInteger(p) && p > 0;
  return isValid && N * r <= 4 * defaultCost.N * defaultCost.r && p <= 4 * defaultCost.p ? { N, r, p } : undefined;
}

/** Derives a key. scrypt needs slightly more than 128 * N * r bytes, so allow twice as much. Node's default limit is 32 MiB. */
const derive = (password: string, salt: Uint8Array, { N, r, p }: typeof defaultCost): Promise<Buffer> =>
  deriveKey(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r + 2 ** 20 });
