import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { isWebhookKitError } from "../../../packages/webhook-kit/src/errors/errors.ts";
import type { ParsedSignature, SignatureScheme } from "../../../packages/webhook-kit/src/signature/signature-scheme.ts";
import { standardWebhooks as standardScheme } from "../../../packages/webhook-kit/src/signature/standard-webhooks.ts";
import { timestampDigest as digestScheme } from "../../../packages/webhook-kit/src/signature/timestamp-digest.ts";
import { type FuzzTarget, readParts } from "./target.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const digest = digestScheme();

/** Stands for the right signature in an input: mutation does not find one by itself. */
const right = "\x01";

function parse(scheme: SignatureScheme, rawHeaders: readonly string[]): ParsedSignature | undefined {
  const parsed = scheme.parse(rawHeaders);
  if (!("code" in parsed)) return parsed;
  assert.match(parsed.code, /^(?:missing|malformed|duplicate)_[a-z_]+$/);
  return undefined;
}

const plainTimes = ["2099-05-01T16:00:00Z", "2018-11-26T10:55Z"];

/** `Timestamp` and `Authorization`: accepted only with the digest that node:crypto computes of the timestamp as sent. */
export const timestampDigest: FuzzTarget = {
  words: ["hmac ", "HMAC  ", right, "\x02", ...plainTimes, ", "],
  fuzz(data) {
    const [timestamp = "", authorization = "", name = "", more = ""] = readParts(data, 4);
    const sha256 = createHash("sha256")
      .update(timestamp + secret)
      .digest("hex");
    const hmac = createHmac("sha256", secret).update(timestamp).digest("hex");
    const value = authorization.replaceAll(right, sha256).replaceAll("\x02", hmac);
    const parsed = parse(digest, ["TimeStamp", timestamp, "authorization", value, name, more]);
    const isRepeated = ["timestamp", "authorization"].includes(name.toLowerCase());
    if (!parsed) {
      const isRight = plainTimes.includes(timestamp) && [`hmac ${sha256}`, `hmac ${hmac}`].includes(value);
      assert.ok(!isRight || isRepeated, "a right signature is read");
      return;
    }
    assert.ok(!isRepeated, "a header that was sent twice is refused");
    const { earliest, latest } = parsed.signedAt;
    assert.ok(earliest <= latest && latest - earliest < 60_000);
    const match = digest.verify(parsed, ["another secret of some length", secret], undefined);
    const [, digits = ""] = /^hmac +(.*)$/i.exec(value) ?? [];
    const expected = { [sha256]: "sha256", [hmac]: "hmac" }[digits.toLowerCase()];
    assert.deepEqual(match, expected && { secretIndex: 1, variant: expected });
  },
};

const standard = standardScheme();
const key = Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64");
const keyText = `whsec_${key.toString("base64")}`;
const mac = (id: string, timestamp: string, body: Buffer) =>
  createHmac("sha256", key)
    .update(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]))
    .digest("base64");

/** Standard Webhooks: accepted only if one of the listed signatures is the one that node:crypto computes. */
export const standardWebhooks: FuzzTarget = {
  words: ["v1,", `v1,${right}`, "v1a,", " ", "msg_1", "1700000000", `v1,${"A".repeat(43)}= `],
  fuzz(data) {
    const [id = "", timestamp = "", list = "", text = ""] = readParts(data, 4);
    const body = Buffer.from(text, "latin1");
    const signature = mac(id, timestamp, body);
    const value = list.replaceAll(right, signature);
    const parsed = parse(standard, ["webhook-id", id, "Webhook-Timestamp", timestamp, "webhook-signature", value]);
    if (!parsed) {
      const isPlain = /^[a-z_]{1,20}$/.test(id) && /^[1-9]\d{0,9}$/.test(timestamp);
      assert.ok(!(isPlain && value === `v1,${signature}`), "a right signature is read");
      return;
    }
    assert.equal(parsed.id, id);
    assert.deepEqual(parsed.signedAt, { earliest: Number(timestamp) * 1000, latest: Number(timestamp) * 1000 });
    const match = standard.verify(parsed, [keyText], body) as { variant: string } | undefined;
    assert.equal(match !== undefined, value.split(" ").includes(`v1,${signature}`), "both readings have one verdict");
    assert.equal(standard.verify(parsed, [`whsec_${Buffer.from("another key").toString("base64")}`], body), undefined);
    if (match) assert.equal(standard.verify(parsed, [keyText], Buffer.concat([body, Buffer.of(0)])), undefined);
  },
};

/** Secrets and ids to sign with: refused with a documented code, or the headers are read back and verified. */
export const signing: FuzzTarget = {
  words: ["whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "=", "==", "msg_", ".", ","],
  fuzz(data) {
    const [given = "", id = "", seconds = "", text = ""] = readParts(data, 4);
    const body = Buffer.from(text, "latin1");
    const now = new Date(Number(seconds) * 1000);
    for (const scheme of [standard, digest]) {
      let headers: Readonly<Record<string, string>>;
      try {
        headers = scheme.sign({ secret: given, now, body, id }) as typeof headers;
      } catch (error) {
        assert.ok(isWebhookKitError(error) && ["invalid_secret", "invalid_option"].includes(error.code));
        continue;
      }
      const parsed = parse(scheme, Object.entries(headers).flat());
      assert.ok(parsed, "what is signed is read");
      assert.ok(scheme.verify(parsed, [given], body), "what is signed is verified");
      assert.match(Object.values(headers).join(""), /^[\x20-\x7e]+$/);
    }
    const expected = Buffer.from(given.replace(/^whsec_/, ""), "base64");
    const isKey = expected.length > 0 && given.replace(/^whsec_/, "") === expected.toString("base64");
    assert.equal(standard.checkSecret?.(given) === undefined, isKey, "a key is base64 in its one spelling");
  },
};
