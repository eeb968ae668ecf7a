import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { standardWebhooks } from "./standard-webhooks.ts";

// Created with openssl. Each vector contains the command that printed it.
const { vectors } = JSON.parse(
  readFileSync(new URL("../../../../spec/vectors/standard-webhooks.json", import.meta.url), "utf8"),
) as {
  vectors: { name: string; secret: string; id: string; timestamp: string; bodyHex: string; signature: string }[];
};
const [first] = vectors;
if (!first) throw new Error("There are no vectors.");

const scheme = standardWebhooks();

const headersFrom = ({ id, timestamp, signature }: Pick<typeof first, "id" | "timestamp" | "signature">) => [
  "webhook-id",
  id,
  "webhook-timestamp",
  timestamp,
  "webhook-signature",
  signature.includes(",") ? signature : `v1,${signature}`,
];

function verify(rawHeaders: readonly string[], secrets: readonly string[], body?: Uint8Array) {
  const parsed = scheme.parse(rawHeaders);
  return "code" in parsed ? parsed.code : scheme.verify(parsed, secrets, body);
}

describe.each(vectors)("openssl's signature for $name", (vector) => {
  const { secret, id, timestamp, bodyHex, signature } = vector;
  const body = Buffer.from(bodyHex, "hex");

  test("sign creates the same signature", () =>
    expect(scheme.sign({ secret, id, body, now: new Date(Number(timestamp) * 1000 + 999) })).toEqual({
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature}`,
    }));

  test("the scheme parses and accepts the signature", () => {
    const time = Number(timestamp) * 1000;
    const parsed = scheme.parse(headersFrom(vector));
    expect(parsed).toMatchObject({ id, signedAt: { earliest: time, latest: time } });
    expect(parsed).toMatchObject({ signature: Buffer.from(signature, "base64") });
    expect(verify(headersFrom(vector), [secret], body)).toEqual({ secretIndex: 0, variant: "v1" });
    expect(verify(headersFrom(vector), ["whsec_YW5vdGhlcg==", secret], new Uint8Array(body))).toEqual({
      secretIndex: 1,
      variant: "v1",
    });
  });

  test("the scheme rejects the signature with any other secret, id, time or body", () => {
    expect(verify(headersFrom(vector), ["whsec_YW5vdGhlcg=="], body)).toBeUndefined();
    expect(verify(headersFrom({ ...vector, id: id.slice(1) || "x" }), [secret], body)).toBeUndefined();
    expect(verify(headersFrom({ ...vector, timestamp: `1${timestamp}`.slice(0, 12) }), [secret], body)).toBeUndefined();
    expect(verify(headersFrom(vector), [secret], Buffer.concat([body, Buffer.of(0)]))).toBeUndefined();
    expect(verify(headersFrom(vector), [secret], undefined)).toBeUndefined();
  });

  test("the scheme rejects the signature of any other vector", () => {
    for (const other of vectors)
      if (other.signature !== signature)
        expect(verify(headersFrom({ ...vector, signature: other.signature }), [secret], body)).toBeUndefined();
  });
});

test("there are at least 16 vectors with at least 6 secrets", () => {
  expect(vectors.length).toBeGreaterThanOrEqual(16);
  expect(new Set(vectors.map(({ secret }) => secret)).size).toBeGreaterThanOrEqual(6);
});

describe("while a secret is rotated", () => {
  const oldVector = first;
  const renewedVector = vectors.find(({ name }) => name === "the same with another key") ?? first;
  const body = Buffer.from(first.bodyHex, "hex");
  const signedWithBothKeys = { ...first, signature: `v1,${renewedVector.signature} v1,${oldVector.signature}` };

  test.each([
    [[oldVector.secret], 0],
    [[renewedVector.secret], 0],
    [["whsec_YW5vdGhlcg==", oldVector.secret], 1],
    [[oldVector.secret, renewedVector.secret], 0],
    [["whsec_YW5vdGhlcg==", renewedVector.secret, oldVector.secret], 1],
    [[oldVector.secret, oldVector.secret], 0],
  ])(
    "a message signed with both keys is accepted with the secrets %j, and the index shows which matched",
    (secrets, secretIndex) =>
      expect(verify(headersFrom(signedWithBothKeys), secrets, body)).toEqual({ secretIndex, variant: "v1" }),
  );

  test("a valid signature is found anywhere in the list", () => {
    const zeros = `v1,${Buffer.alloc(32).toString("base64")}`;
    for (const signature of [`${zeros} v1,${oldVector.signature}`, `v1a,x v1,${oldVector.signature} ${zeros}`])
      expect(verify(headersFrom({ ...first, signature }), [oldVector.secret], body)).toMatchObject({ secretIndex: 0 });
    expect(verify(headersFrom({ ...first, signature: `${zeros} ${zeros}` }), [oldVector.secret], body)).toBeUndefined();
  });

  test("a secret without a valid key does not match", () =>
    expect(verify(headersFrom(first), ["", "whsec_", "whsec_Zg", first.secret.slice(0, -1)], body)).toBeUndefined());

  test("without secrets, nothing is accepted", () => expect(verify(headersFrom(first), [], body)).toBeUndefined());
});

test("each of 2,500 tenants' secrets, used repeatedly, verifies only signatures that Node's HMAC creates with it", () => {
  const keys = Array.from({ length: 2_500 }, (_, tenant) => Buffer.from(`the key of tenant ${tenant}`));
  const encodeSecret = (key: Buffer | undefined) => `whsec_${key?.toString("base64")}`;
  for (const [tenant, key] of [...keys, ...keys].entries()) {
    const signature = createHmac("sha256", key).update("msg_1.1614265330.body").digest("base64");
    const headers = headersFrom({ id: "msg_1", timestamp: "1614265330", signature });
    const otherKey = keys[(tenant + 1) % keys.length];
    const verified = verify(headers, [encodeSecret(otherKey), encodeSecret(key)], Buffer.from("body"));
    expect(verified).toEqual({ secretIndex: 1, variant: "v1" });
  }
});

const id = ["webhook-id", "msg_1"];
const timestamp = ["webhook-timestamp", "1614265330"];
const signature = ["webhook-signature", `v1,${first.signature}`];

test.each([
  [[...signature, ...timestamp, ...id], undefined],
  [["WEBHOOK-ID", "msg_1", ...timestamp, "Webhook-Signature", `v1,${first.signature}`], undefined],
  [[], "missing_webhook_id"],
  [[...timestamp, ...signature], "missing_webhook_id"],
  [[...id, ...signature], "missing_timestamp"],
  [[...id, ...timestamp], "missing_signature"],
  [[...id, ...timestamp, ...signature, ...id], "duplicate_header"],
  [[...id, ...timestamp, ...signature, ...timestamp], "duplicate_header"],
  [[...id, ...timestamp, ...signature, ...signature], "duplicate_header"],
  [[...id, ...timestamp, ...signature, "WEBHOOK-SIGNATURE", ""], "duplicate_header"],
  [["webhook-id", "msg_1, msg_1", ...timestamp, ...signature], "duplicate_header"],
  [["webhook-id", "msg_1,msg_1", ...timestamp, ...signature], "duplicate_header"],
  [[...id, "webhook-timestamp", "1614265330, 1614265330", ...signature], "duplicate_header"],
  [[...id, ...timestamp, "webhook-signature", `v1,${first.signature}, v1,${first.signature}`], "duplicate_header"],
  [["webhook-id", "", ...timestamp, ...signature], "malformed_webhook_id"],
  [[...id, "webhook-timestamp", "", ...signature], "malformed_timestamp"],
  [[...id, ...timestamp, "webhook-signature", ""], "malformed_signature"],
])("the code for %j is %s", (rawHeaders, reason) =>
  expect(verify(rawHeaders, [first.secret], Buffer.of())).toBe(reason),
);

test.each([
  ["a dot, after which the id could be read as the time", "msg.1"],
  ["a dot alone", "."],
  ["a dot at the end", "msg_1."],
  ["a space", "msg 1"],
  ["a tab", "msg\t1"],
  ["a line break", "msg_1\n"],
  ["a delete character", "msg_1\u007f"],
  ["a letter that is not ASCII", "mśg_1"],
  ["257 characters", "m".repeat(257)],
])("parse and sign reject an id that contains %s", (_, text) => {
  expect(verify(["webhook-id", text, ...timestamp, ...signature], [first.secret], Buffer.of())).toBe(
    "malformed_webhook_id",
  );
  expect(() => scheme.sign({ secret: first.secret, now: new Date(), id: text })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringMatching(/^id must be 1 to 256 visible/) }),
  );
});

test("parse accepts an id of 256 characters", () => {
  const long = "m".repeat(256);
  expect(scheme.parse(["webhook-id", long, ...timestamp, ...signature])).toMatchObject({ id: long });
});

test.each([
  "1700000000junk",
  "junk",
  "NaN",
  "Infinity",
  "-1",
  "+1614265330",
  "01614265330",
  "00",
  "-0",
  " 1614265330",
  "1614265330 ",
  "1614265330\n",
  "1614265330.0",
  "1.6e9",
  "0x60376172",
  "1_614_265_330",
  "1614265330000000",
  "1000000000000",
  "१६१४२६५३३०",
  "2021-02-25T15:02:10Z",
  "",
  "null",
])("%j is not a timestamp", (text) =>
  expect(verify([...id, "webhook-timestamp", text, ...signature], [first.secret], Buffer.of())).toBe(
    "malformed_timestamp",
  ),
);

test("sign generates a different id for every message without an id", () => {
  const ids = Array.from({ length: 100 }, () => scheme.sign({ secret: first.secret, now: new Date(0) })["webhook-id"]);
  expect(new Set(ids).size).toBe(100);
  for (const generated of ids) expect(generated).toMatch(/^msg_[0-9a-f-]{36}$/);
});

test("sign treats a message without a body like a message with an empty body", () => {
  const message = { secret: first.secret, now: new Date(0), id: "msg_1" };
  expect(scheme.sign(message)).toEqual(scheme.sign({ ...message, body: Buffer.of() }));
});

test.each([Number.NaN, -1, -1_000, 8.64e15])("sign rejects the time %d ms", (time) =>
  expect(() => scheme.sign({ secret: first.secret, now: new Date(time) })).toThrow(
    expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("1970") }),
  ),
);

const unusableSecrets = ["", "whsec_", "whsec_ ", " whsec_Zm9v", "whsec_Zm9v\n", "whsec_Zg", "5f0c9a7e-2d43-4f0e-9b7a"];

test.each([...unusableSecrets, 42 as unknown as string])("sign rejects the secret %j", (secret) =>
  expect(() => scheme.sign({ secret, now: new Date() })).toThrow(
    expect.objectContaining({ code: "invalid_secret", message: expect.stringMatching(/^The secret /) }),
  ),
);

test.each(unusableSecrets)("checkSecret explains what is wrong with the secret %j without quoting it", (secret) => {
  const problem = scheme.checkSecret?.(secret);
  expect(problem).toMatch(/contains no key.*base64/);
  expect(problem).not.toMatch(/Zm9v|Zg|5f0c/);
});

test.each(vectors.map(({ secret }) => secret))("checkSecret accepts the secret %j", (secret) =>
  expect(scheme.checkSecret?.(secret)).toBeUndefined(),
);

test("the scheme has the name standard-webhooks and covers the body", () =>
  expect(scheme).toMatchObject({ name: "standard-webhooks", wwwAuthenticate: "standard-webhooks", signsBody: true }));

test.each([
  [["webhook-timestamp", "1"], /webhook-id/],
  [[...id], /webhook-timestamp/],
  [[...id, ...timestamp], /webhook-signature/],
  [[...id, ...timestamp, ...signature, ...id], /sent twice/],
  [["webhook-id", "", ...timestamp, ...signature], /webhook-id is not 1 to 256 visible/],
  [[...id, "webhook-timestamp", "x", ...signature], /whole number of seconds/],
  [[...id, ...timestamp, "webhook-signature", "x"], /v1 signature of 32 bytes/],
])("parse explains why it rejects %j", (rawHeaders, message) =>
  expect(scheme.parse(rawHeaders)).toEqual(expect.objectContaining({ message: expect.stringMatching(message) })),
);
