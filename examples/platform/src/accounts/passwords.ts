import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const deriveKey = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

// OWASP's scrypt parameters with N = 2^15 and p = 3: its first choice, N = 2^17, needs 128 MiB, too much beside PGlite.
const cost = { N: 2 ** 15, r: 8, p: 3 };
const keyBytes = 32;

/** Password hashing with scrypt. @returns `scrypt$N$r$p$salt$key`, the last two in base64url */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/**
 * Safe from timing attacks, and from the enumeration of accounts by the response time: an unknown account takes as long.
 *
 * @param kept a hash from `hashPassword`, of any cost; undefined for an unknown account
 */
export async function verifyPassword(password: string, kept: string | undefined): Promise<boolean> {
  const { cost: keptCost, salt, key } = parseHash(kept ?? "");
  const derived = await derive(password, salt, keptCost ?? cost);
  return keptCost !== undefined && key.length === keyBytes && timingSafeEqual(derived, key);
}

/** Whether a password can match `text`. */
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

/** At most four times today's memory and passes; undefined beyond that, and for parameters that scrypt rejects. */
function costOf(N: number, r: number, p: number): typeof cost | undefined {
  const isOne = Number.isInteger(Math.log2(N)) && N > 1 && Number.isInteger(r) && r > 0 && Number.isInteger(p) && p > 0;
  return isOne && N * r <= 4 * cost.N * cost.r && p <= 4 * cost.p ? { N, r, p } : undefined;
}

const derive = (password: string, salt: Uint8Array, { N, r, p }: typeof cost): Promise<Buffer> =>
  deriveKey(password.normalize("NFKC"), salt, keyBytes, { N, r, p, maxmem: 256 * N * r + 2 ** 20 });
