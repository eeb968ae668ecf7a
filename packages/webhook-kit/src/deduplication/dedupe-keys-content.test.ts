import { expect, test } from "vitest";
import type { ReceivedBody } from "../http/request.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { computeEventKey, computeKeepMs, computeSignatureKey } from "./dedupe-keys.ts";

const parsed = { signedAt: { earliest: 60_000, latest: 119_999 }, signature: Buffer.from("ab01", "hex") };
const request: VerifiedRequest = {
  parsed,
  receivedAt: new Date(0),
  verified: { scheme: "sample", variant: "r", secretIndex: 0, skewSeconds: 0 },
  tenant: "t",
  body: undefined,
};
const withId: VerifiedRequest = { ...request, parsed: { ...parsed, id: "msg_1" } };
const withOtherSignature = (base: VerifiedRequest): VerifiedRequest => ({
  ...base,
  parsed: { ...base.parsed, signature: Buffer.of(9) },
});
const withOtherTenant = (base: VerifiedRequest): VerifiedRequest => ({ ...base, tenant: "u" });
const withOtherScheme = (base: VerifiedRequest): VerifiedRequest => ({
  ...base,
  verified: { ...base.verified, scheme: "other" },
});

const incoming = { method: "POST", target: "/hooks/offer/response" };
const bytes = (text: string): ReceivedBody => ({ kind: "bytes", bytes: Buffer.from(text) });
const keyFor = (
  verified: VerifiedRequest,
  body: ReceivedBody | undefined = bytes("{}"),
  methodAndTarget = incoming,
  entity?: string[],
) => computeEventKey(verified, { incoming: methodAndTarget, body, entity }).key;

/** Asserts that all keys have the format of a key, and that they differ. */
const expectDifferentKeys = (...keys: string[]) => {
  for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/);
  expect([...new Set(keys)]).toEqual(keys);
};

test("requests with different tenants, schemes, signatures, methods, targets, bodies or entities are different events", () =>
  expectDifferentKeys(
    keyFor(request),
    keyFor(withOtherTenant(request)),
    keyFor(withOtherScheme(request)),
    keyFor(withOtherSignature(request)),
    keyFor(request, bytes("{}"), { ...incoming, method: "PUT" }),
    keyFor(request, bytes("{}"), { ...incoming, target: "/hooks/offer/response?" }),
    keyFor(request, bytes("{} ")),
    keyFor(request, { kind: "parsed", value: { a: 1 } }),
    keyFor(request, { kind: "parsed", value: { a: 2 } }),
    keyFor(request, bytes("{}"), incoming, ["o1", "w1"]),
    keyFor(request, bytes("{}"), incoming, ["o1w1"]),
    keyFor(withId),
    computeSignatureKey(request),
    computeSignatureKey(withId),
  ));

test("an event without a body differs from the same event with a body", () =>
  expect(keyFor(request)).not.toBe(computeEventKey(request, { incoming, body: undefined, entity: undefined }).key));

test("the key does not depend on the signature encoding, the time of receipt or the matching variant", () => {
  const sameRequest: VerifiedRequest = {
    ...request,
    parsed: { ...parsed, signature: Uint8Array.of(0xab, 0x01) },
    receivedAt: new Date(7),
    verified: { ...request.verified, skewSeconds: 7, variant: "other", secretIndex: 1 },
  };
  expect(keyFor(sameRequest)).toBe(keyFor(request));
  expect(computeSignatureKey(sameRequest)).toBe(computeSignatureKey(request));
});

test("a signed id alone identifies the event, within its tenant and scheme", () => {
  expect(keyFor(withOtherSignature(withId), undefined, { method: "GET", target: "/" })).toBe(keyFor(withId));
  expectDifferentKeys(
    keyFor(withId),
    keyFor(withOtherTenant(withId)),
    keyFor(withOtherScheme(withId)),
    keyFor({ ...withId, parsed: { ...withId.parsed, id: "msg_2" } }),
  );
});

test("events with the same signature and entity share a subject, whatever their bodies", () => {
  const subjectFor = (verified: VerifiedRequest, entity: string[] | undefined, body = bytes("{}")) =>
    computeEventKey(verified, { incoming, body, entity }).subject;
  expect(subjectFor(request, ["o1", "w1"], bytes("[]"))).toBe(subjectFor(request, ["o1", "w1"]));
  expectDifferentKeys(
    subjectFor(request, ["o1", "w1"]) ?? "",
    subjectFor(request, ["o1", "w2"]) ?? "",
    subjectFor(request, ["o1w1"]) ?? "",
    subjectFor(withOtherSignature(request), ["o1", "w1"]) ?? "",
    subjectFor(withOtherTenant(request), ["o1", "w1"]) ?? "",
  );
  expect(subjectFor(request, undefined)).toBeUndefined();
  expect(subjectFor(withId, ["o1", "w1"])).toBeUndefined();
});

test("a signature is identified by its bytes", () =>
  expectDifferentKeys(
    computeSignatureKey(request),
    computeSignatureKey(withOtherSignature(request)),
    computeSignatureKey(withOtherTenant(request)),
    computeSignatureKey(withOtherScheme(request)),
  ));

test("with a signed id, a signature is identified by the id and the time, not by a list that anyone can extend", () => {
  expect(computeSignatureKey(withOtherSignature(withId))).toBe(computeSignatureKey(withId));
  expectDifferentKeys(
    computeSignatureKey(withId),
    computeSignatureKey({ ...withId, parsed: { ...withId.parsed, id: "msg_2" } }),
    computeSignatureKey({ ...withId, parsed: { ...withId.parsed, signedAt: { earliest: 61_000, latest: 119_999 } } }),
  );
});

test("a record is kept while the same headers could be verified again, or for 72 hours with a signed id", () => {
  expect(computeKeepMs(request, 300_000)).toBe(659_999);
  expect(computeKeepMs({ ...request, parsed: { ...parsed, signedAt: { earliest: 5, latest: 5 } } }, 300_000)).toBe(
    600_000,
  );
  expect(computeKeepMs(withId, 300_000)).toBe(259_200_000);
});

// Records outlive a release, so a key must not change unnoticed:
// printf '%s' '…' | openssl dgst -sha256 -binary | base64 | tr '+/' '-_' | tr -d '='
const expectedKeys = {
  event: "nehDEgGdmQXT6Zp6b2UEdXymdPNAjc6kvMqYO8cWfj8", // ["t","sample","event",["ab01","POST","/hooks/offer/response"]] and RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o, which is the hash of {}
  eventWithoutBody: "L1L3g5Hm1a91iP4h6dV3nOGeSgfxqcOhrel_dvK0_ng", // ["t","sample","event",["ab01","POST","/hooks/offer/response"]]
  signedId: "ujUazw3n6RXl2NwC7OMNs-1p6Xpu8nA4op-IJU7O64I", // ["t","sample","id",["msg_1"]]
  signature: "MCIAAoRIbncMIymKZKnWBP2kyZPvnK46ceM60JnXDro", // ["t","sample","signature",["ab01"]]
};

test("every process and every release computes the same keys", () => {
  expect(keyFor(request)).toBe(expectedKeys.event);
  expect(keyFor(request, { kind: "parsed", value: {} })).toBe(expectedKeys.event);
  expect(computeEventKey(request, { incoming, body: undefined, entity: undefined }).key).toBe(
    expectedKeys.eventWithoutBody,
  );
  expect(keyFor(withId)).toBe(expectedKeys.signedId);
  expect(computeSignatureKey(request)).toBe(expectedKeys.signature);
});
