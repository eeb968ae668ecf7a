import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seal, unseal } from "./seal.ts";
import { parseSealKey, sealKey } from "./seal-key.ts";

const key = new Uint8Array(32).fill(1);
const unusable = expect.objectContaining({ code: "seal_key_unusable" });

test("opens what it sealed", () => expect(unseal(seal("gehéim 🤫", key, "o1"), key, "o1")).toBe("gehéim 🤫"));

test("never seals the same secret to the same text, and shows nothing of it", () => {
  const [one, two] = [seal("secret", key, "o1"), seal("secret", key, "o1")];
  expect(one).not.toBe(two);
  expect(Buffer.from(one.split(".")[1] ?? "", "base64url").toString()).not.toContain("secret");
});

test("does not open with another key, for another row, or when changed", () => {
  const sealed = seal("secret", key, "o1");
  expect(() => unseal(sealed, new Uint8Array(32), "o1")).toThrow(unusable);
  expect(() => unseal(sealed, key, "o2")).toThrow(unusable);
  expect(() => unseal(sealed.slice(0, -4), key, "o1")).toThrow(unusable);
  expect(() => unseal(`v2${sealed.slice(2)}`, key, "o1")).toThrow(unusable);
  for (const broken of ["", "v1", "v1.", "v1.AAAA"]) expect(() => unseal(broken, key, "o1")).toThrow(unusable);
});

test("makes one key per data folder, for its owner's eyes only", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-seal-"));
  const keys = await Promise.all([sealKey(folder), sealKey(folder)]);
  expect(keys[0]).toHaveLength(32);
  expect(keys[1]).toEqual(keys[0]);
  expect(await sealKey(folder)).toEqual(keys[0]);
  expect((await stat(join(folder, "seal.key"))).mode & 0o777).toBe(0o600);
  expect(parseSealKey((await readFile(join(folder, "seal.key"), "utf8")).trim(), "the file")).toEqual(keys[0]);
  await rm(folder, { recursive: true });
});

test.each(["", "short", "A".repeat(44), `${"A".repeat(43)}!`, "A".repeat(64)])(
  "refuses %j as a key, and says how to make one",
  (text) => expect(() => parseSealKey(text, "OFFERS_SEAL_KEY")).toThrow(/OFFERS_SEAL_KEY.*openssl rand -base64 32/),
);
