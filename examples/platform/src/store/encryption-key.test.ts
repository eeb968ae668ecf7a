import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readOrCreateEncryptionKey } from "./encryption-key.ts";

// The errors that link(2) returns on exFAT, SMB and virtiofs.
const rejectWith = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));

test.each(["EPERM", "ENOTSUP", "ENOSYS"])(
  "creates the key once, readable only by its owner, on a file system without hard links (%s)",
  async (code) => {
    const folder = await mkdtemp(join(tmpdir(), "offers-key-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const keys = await Promise.all(
      Array.from({ length: 4 }, () => readOrCreateEncryptionKey(folder, rejectWith(code))),
    );
    expect(new Set(keys.map((key) => Buffer.from(key).toString("hex"))).size).toBe(1);
    expect(Buffer.from(await readOrCreateEncryptionKey(folder))).toEqual(Buffer.from(keys[0] ?? []));
    expect(await readdir(folder)).toEqual(["encryption.key"]);
    expect((await stat(join(folder, "encryption.key"))).mode & 0o777).toBe(0o600);
  },
);

test("reports any other file system error", async () => {
  const folder = await mkdtemp(join(tmpdir(), "offers-key-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await expect(readOrCreateEncryptionKey(folder, rejectWith("EIO"))).rejects.toThrow("EIO");
});
