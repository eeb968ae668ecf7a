import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { applySeed } from "../../src/seed/apply-seed.ts";
import { useStore } from "../support/use-opened.ts";

const store = useStore();

test("a seed hashes each distinct password once, at most two at a time [D-55]", async () => {
  let runningCount = 0;
  const counts: number[] = [];
  const hash = async (password: string): Promise<string> => {
    runningCount += 1;
    counts.push(runningCount);
    await setImmediate();
    runningCount -= 1;
    return `hash of ${password}`;
  };
  const workers = Array.from({ length: 12 }, (_, index) => {
    return { id: `w${index}`, name: "Wim", devices: [], password: `password ${index % 6}` };
  });
  await applySeed(store, { organisations: [], people: [], workers }, { hash, verify: async () => false });
  expect(counts).toHaveLength(6);
  expect(Math.max(...counts)).toBe(2);
  const { password_hash } = await store.db
    .selectFrom("workers")
    .select("password_hash")
    .where("id", "=", "w7")
    .executeTakeFirstOrThrow();
  expect(password_hash).toBe("hash of password 1");
});
