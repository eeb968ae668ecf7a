import { expect, test } from "vitest";
import { encrypt } from "./encrypt.ts";
import { decryptSecrets } from "./encrypted-secrets.ts";

const key = new Uint8Array(32).fill(7);
const now = new Date("2026-11-22T10:00:00Z");
const endpoint = (id: string, key: Uint8Array) => ({
  encrypted_secret: encrypt(`secret of ${id}`, key, id),
  previous_encrypted_secret: encrypt(`old secret of ${id}`, key, id),
  previous_secret_until: new Date("2026-11-22T11:00:00Z"),
});

test("each endpoint has its own secrets, also when there are more than are remembered", () => {
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

test("the previous secret is not valid after its time", () => {
  expect(decryptSecrets(endpoint("o1", key), key, "o1", new Date("2026-11-22T11:00:00Z"))).toEqual({
    secret: "secret of o1",
  });
});

test("a secret that is remembered opens with no other key, and for no other organisation", () => {
  const row = endpoint("o1", key);
  decryptSecrets(row, key, "o1", now);
  const invalid = expect.objectContaining({ code: "invalid_encryption_key" });
  expect(() => decryptSecrets(row, new Uint8Array(32), "o1", now)).toThrow(invalid);
  expect(() => decryptSecrets(row, key, "o2", now)).toThrow(invalid);
});
