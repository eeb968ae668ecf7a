import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { RateLimiterAbstract } from "rate-limiter-flexible";
import { FairQueue } from "./fair-queue.ts";
import { type CreateLimiter, consume, toNetwork, tooManyRequests } from "./rate-limits.ts";

/** The account that someone is trying to sign in to, and where from. */
export interface SignInAttempt {
  /** A hash that is the same for all names of an account. An unknown name counts as an account. */
  account: string;
  /** The caller's IP address; empty if unknown. */
  address: string;
  /** The id of the caller's device if this account has signed in on it before (D-153). */
  knownDevice?: string | undefined;
}

/**
 * How requests hash and check passwords. Only two hashes run at a time, and networks and accounts take turns. The sign-in limit keeps
 * strangers from guessing by brute force (D-55).
 */
export interface LimitedPasswords {
  /**
   * Checks a password against the stored hash. In five minutes, allows ten failed attempts per account from one network, a hundred per
   * account from all networks, and a hundred per network. An attempt from a known device counts only against that device, so that no
   * number of strangers can lock it out.
   *
   * @throws {ProblemError} `too_many_sign_ins` if the account is locked or too many attempts are waiting
   */
  verify(attempt: SignInAttempt, password: string, storedHash: string | undefined): Promise<boolean>;
  /**
   * Hashes a new password.
   *
   * @param request.id the id of the invitation or the account that the password is for
   * @throws {ProblemError} `too_many_sign_ins` if a password is being hashed for this id, or too many attempts are waiting
   */
  hash(request: { id: string; address: string }, password: string): Promise<string>;
}

/** The maximum number of hashes at a time. Each uses 32 MiB and one of the four libuv threads, which DNS lookups also need. */
export const maxConcurrentHashes = 2;
const maxWaiting = 16;
const maxWaitingPerAccount = 4;

const windowSeconds = 5 * 60;
/** The limit for an account from one network or one known device. */
const maxFromOnePlace = 10;
/** The limit across all networks, and the limit of one network across all accounts. */
const maxInTotal = 100;

/** Creates the limits. An attempt is counted when its turn comes. Hashing is slow, so there are few counters. */
export function limitPasswords({ hash, verify }: Passwords, createLimiter: CreateLimiter): LimitedPasswords {
  const limit = (name: string, count: number) => createLimiter(`sign-in ${name}`, { count, seconds: windowSeconds });
  const fromDevice = limit("from device", maxFromOnePlace);
  const toAccountFromNetwork = limit("to account from network", maxFromOnePlace);
  const fromNetwork = limit("from network", maxInTotal);
  const toAccount = limit("to account", maxInTotal);
  const queue = new FairQueue({
    maxRunning: maxConcurrentHashes,
    maxWaiting,
    maxWaitingInKnownLane: maxWaitingPerAccount,
    onFull: () => tooManyRequests("Too many concurrent sign-ins", 1, "too_many_sign_ins"),
  });
  const idsInProgress = new Set<string>();

  const count = (limiter: RateLimiterAbstract, key: string, reason = "This account is locked after"): Promise<void> =>
    consume(limiter, key, `${reason} ${limiter.points} failed sign-ins`, "too_many_sign_ins");

  /** Counts an attempt before its check, because otherwise all concurrent attempts would be allowed. @returns undoes it after a success */
  async function countAttempt(
    { account, knownDevice }: SignInAttempt,
    network: string,
  ): Promise<() => Promise<unknown>> {
    if (knownDevice !== undefined) {
      const key = JSON.stringify([account, knownDevice]);
      await count(fromDevice, key);
      return () => fromDevice.delete(key);
    }
    const key = JSON.stringify([account, network]);
    // Count per network first, because attempts rejected by that limit must not count against the owner, who may sign in elsewhere.
    await count(toAccountFromNetwork, key);
    await count(fromNetwork, network, "Your network is locked after");
    await count(toAccount, account);
    return async () => {
      await toAccountFromNetwork.delete(key);
      // Earlier failures still count, because a sign-in by the owner must not allow an attacker a hundred more attempts.
      await fromNetwork.reward(network);
      await toAccount.reward(account);
    };
  }

  return {
    async verify(attempt, password, storedHash) {
      const network = toNetwork(attempt.address);
      const isKnown = attempt.knownDevice !== undefined;
      return queue.run({ key: isKnown ? `account ${attempt.account}` : `network ${network}`, isKnown }, async () => {
        const undoCount = await countAttempt(attempt, network);
        const isCorrect = await verify(password, storedHash);
        if (isCorrect) await undoCount();
        return isCorrect;
      });
    },
    async hash({ id, address }, password) {
      if (idsInProgress.has(id))
        throw tooManyRequests("Another request is setting this password", 1, "too_many_sign_ins");
      idsInProgress.add(id);
      try {
        return await queue.run({ key: `network ${toNetwork(address)}`, isKnown: false }, () => hash(password));
      } finally {
        idsInProgress.delete(id);
      }
    },
  };
}

const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

// OWASP's scrypt parameters with N = 2^15 and p = 3. Its first choice, N = 2^17, needs 128 MiB, too much next to PGlite.
const defaultCost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;

/** Password hashing with scrypt. Requests use `LimitedPasswords` instead. */
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
