import { expect, test } from "vitest";
import { decodeStandardWebhooksKey } from "./standard-webhooks.ts";

test.each(["whsec_Zm9vYmFy", "Zm9vYmFy"])("decodeStandardWebhooksKey extracts the key from %s", (secret) =>
  expect(decodeStandardWebhooksKey(secret)).toEqual(Buffer.from("foobar")),
);

test("decodeStandardWebhooksKey accepts a key of one byte, because the length is checked elsewhere", () =>
  expect(decodeStandardWebhooksKey("whsec_AA==")).toEqual(Buffer.of(0)));

// CVE-2026-41432, standard-webhooks #286: a receiver whose secret variable is not set accepts any signature.
test.each(["", "whsec_"])("decodeStandardWebhooksKey finds no key in %j", (secret) =>
  expect(decodeStandardWebhooksKey(secret)).toBeUndefined(),
);

test.each([
  "whsec_Zm9vYmE",
  "whsec_Zm9vYmF=",
  "whsec_ Zm9vYmFy",
  "whsec_Zm9vYmFy ",
  "whsec_whsec_Zm9vYmFy",
  "WHSEC_Zm9vYmFy",
  "whsec-Zm9vYmFy",
  "Zm9vYmFywhsec_",
  "whsec_====",
  "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
])("decodeStandardWebhooksKey rejects %j", (secret) => expect(decodeStandardWebhooksKey(secret)).toBeUndefined());
