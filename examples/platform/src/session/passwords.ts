import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

// OWASP's first choice of scrypt parameters: 2^17 blocks need 128 MiB, too much beside PGlite on a small machine; 2^15
// with three passes is its equal.
const cost: ScryptOptions = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const keyBytes = 32;

/** `scrypt$N$r$p$salt$key`, both in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return ["scrypt", cost.N, cost.r, cost.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/**
 * @param kept a hash from `hashPassword`; undefined when there is nobody of that name: it takes as long, so that the
 *   time of an answer does not tell who has an account
 */
export async function verifyPassword(password: string, kept: string | undefined): Promise<boolean> {
  const [, , , , salt = "", key = ""] = kept?.split("$") ?? [];
  const expected = Buffer.from(key, "base64url");
  const derived = await derive(password, Buffer.from(salt, "base64url"));
  return expected.length === keyBytes && timingSafeEqual(derived, expected);
}

const derive = (password: string, salt: Uint8Array): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, keyBytes, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
