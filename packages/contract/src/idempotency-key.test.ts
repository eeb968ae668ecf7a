import { expect, test } from "vitest";
import { idempotencyKeySchema } from "./generated/schemas.ts";

/** Returns the key that a server receives: HTTP removes white space at either end of a field's value (RFC 9110, section 5.5). */
const getReceivedKey = (key: string): string | null => new Headers({ "Idempotency-Key": key }).get("Idempotency-Key");

test.each(["k", "two words", "!~", "k".repeat(255)])("the key %j arrives unchanged", (key) => {
  expect(idempotencyKeySchema.safeParse(key).success).toBe(true);
  expect(getReceivedKey(key)).toBe(key);
});

test.each([" ", " k", "k ", "   "])("the key %j, which HTTP would trim, is rejected", (key) => {
  expect(getReceivedKey(key)).not.toBe(key);
  expect(idempotencyKeySchema.safeParse(key).success).toBe(false);
});
