import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { decrypt, decryptSecrets, encrypt } from "./encrypt.ts";
import { parseEncryptionKey, readOrCreateEncryptionKey } from "./encryption-key.ts";

const key = new Uint8Array(32).fill(1);
const invalidKeyError = expect.objectContaining({ code: "invalid_encryption_key" });

test("decrypts what it encrypted", () => expect(decrypt(encrypt("gehéim 🤫", key, "o1"), key, "o1")).toBe("gehéim 🤫"));

test("encrypts the same secret to a different string each time, and reveals no part of it", () => {
  const first = encrypt("secret", key, "o1");
  const second = encrypt("secret", key, "o1");
  expect(first).not.toBe(second);
  expect(Buffer.from(first.split(".")[1] ?? "", "base64url").toString()).not.toContain("secret");
});

test("does not decrypt with a different key, for a different row, or after a change", () => {
  const encrypted = encrypt("secret", key, "o1");
  expect(() => decrypt(encrypted, new Uint8Array(32), "o1")).toThrow(invalidKeyError);
  expect(() => decrypt(encrypted, key, "o2")).toThrow(invalidKeyError);
  expect(() => decrypt(encrypted.slice(0, -4), key, "o1")).toThrow(invalidKeyError);
  expect(() => decrypt(`v2${encrypted.slice(2)}`, key, "o1")).toThrow(invalidKeyError);
  for (const broken of ["", "v1", "v1.", "v1.AAAA"]) expect(() => decrypt(broken, key, "o1")).toThrow(invalidKeyError);
});

test("creates one key per data folder, readable only by its owner", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-encryption-"));
  const keys = await Promise.all([readOrCreateEncryptionKey(folder), readOrCreateEncryptionKey(folder)]);
  expect(keys[0]).toHaveLength(32);
  expect(keys[1]).toEqual(keys[0]);
  expect(await readOrCreateEncryptionKey(folder)).toEqual(keys[0]);
  expect((await stat(join(folder, "encryption.key"))).mode & 0o777).toBe(0o600);
  expect(parseEncryptionKey((await readFile(join(folder, "encryption.key"), "utf8")).trim(), "the file")).toEqual(
    keys[0],
  );
  await rm(folder, { recursive: true });
});

test.each(["", "short", "A".repeat(44), `${"A".repeat(43)}!`, "A".repeat(64)])(
  "rejects %j as a key, and explains how to create a key",
  (text) =>
    expect(() => parseEncryptionKey(text, "OFFERS_ENCRYPTION_KEY")).toThrow(
      /OFFERS_ENCRYPTION_KEY.*openssl rand -base64 32/,
    ),
);

const now = new Date("2026-11-22T10:00:00Z");
const endpoint = (id: string, key: Uint8Array) => ({
  encrypted_secret: encrypt(`secret of ${id}`, key, id),
  previous_encrypted_secret: encrypt(`old secret of ${id}`, key, id),
  previous_secret_until: new Date("2026-11-22T11:00:00Z"),
});

test("does not mix up the secrets of different endpoints, even when the cache is full", () => {
  const endpoints = Array.from({ length: 1_100 }, (_, number) => ({
    id: `o${number}`,
    row: endpoint(`o${number}`, key),
  }));
  for (let turn = 0; turn < 2; turn += 1)
    for (const { id, row } of endpoints)
      expect(decryptSecrets(row, key, id, now)).toEqual({
        secret: `secret of ${id}`,
        previousSecret: `old secret of ${id}`,
      });
});

test("ignores the previous secret after the overlap", () => {
  expect(decryptSecrets(endpoint("o1", key), key, "o1", new Date("2026-11-22T11:00:00Z"))).toEqual({
    secret: "secret of o1",
  });
});

test("decrypts a cached secret only with the same key and for the same organisation", () => {
  const row = endpoint("o1", key);
  decryptSecrets(row, key, "o1", now);
  expect(() => decryptSecrets(row, new Uint8Array(32), "o1", now)).toThrow(invalidKeyError);
  expect(() => decryptSecrets(row, key, "o2", now)).toThrow(invalidKeyError);
});
