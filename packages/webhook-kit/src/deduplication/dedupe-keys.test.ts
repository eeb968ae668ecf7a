import { expect, test } from "vitest";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { computeEventKey, computeSignatureKey, createDedupeKeys } from "./dedupe-keys.ts";

const request: VerifiedRequest = {
  parsed: { signedAt: { earliest: 0, latest: 0 }, signature: Buffer.of(1) },
  receivedAt: new Date(0),
  verified: { scheme: "sample", variant: "r", secretIndex: 0, skewSeconds: 0 },
  tenant: "",
  body: undefined,
};
const incoming = { method: "POST", target: "/offer/response" };
const event = { incoming, body: undefined, entity: undefined };
const policy = {
  deduplication: {},
  replayProtection: "deduplicate",
  scheme: { wwwAuthenticate: "hmac" },
  toleranceMs: 300_000,
} as const;
const singleUse = { ...policy, replayProtection: "single-use-signature" } as const;

test("an event has its own key, which is kept for as long as its headers are valid", () => {
  expect(createDedupeKeys(policy, request, event)).toEqual({
    keys: [computeEventKey(request, event)],
    keepMs: 600_000,
  });
  expect(createDedupeKeys({ ...policy, toleranceMs: 10_000 }, request, event).keepMs).toBe(20_000);
});

test("an event that a later event may supersede has a subject", () => {
  const response = { ...event, entity: ["o1", "w1"] };
  const { keys } = createDedupeKeys(policy, request, response);
  expect(keys).toEqual([computeEventKey(request, response)]);
  expect(keys[0]?.subject).toEqual(expect.any(String));
});

test("a request that is not an event has no key", () =>
  expect(createDedupeKeys(policy, request, undefined).keys).toEqual([]));

test("with single-use signatures, every request has a key that rejects any other request with the same signature", () => {
  const signatureLease = { key: computeSignatureKey(request), onConflict: expect.any(Function) };
  expect(createDedupeKeys(singleUse, request, undefined).keys).toEqual([signatureLease]);
  const { keys } = createDedupeKeys(singleUse, request, event);
  expect(keys).toEqual([computeEventKey(request, event), signatureLease]);
  expect(keys[1]?.onConflict?.()).toMatchObject({
    rejection: {
      code: "signature_reused",
      status: 401,
      message: expect.stringMatching(/Another request already used this signature; does the service sign several/),
    },
    response: { status: 401, headers: { "www-authenticate": "hmac" } },
  });
});
