import { expect, test } from "vitest";
import { contactSuggestions } from "../endpoints/contact-suggestions.ts";
import type { HandledEndpoint } from "../endpoints/endpoint.ts";
import { workerAddedContact } from "../endpoints/worker-added-contact.ts";
import { workerOfferResponse } from "../endpoints/worker-offer-response.ts";
import { type ReceiverOptions, readReceiverOptions } from "../options/options.ts";
import type { Proof } from "../signature/verify-signature.ts";
import { neededReceipts } from "./dedupe-keys.ts";
import { eventKeys, signatureKey } from "./request-key.ts";

const proof: Proof = {
  claim: { signedAt: { earliest: 0, latest: 0 }, signature: Buffer.of(1) },
  secrets: [],
  skewSeconds: 0,
  receivedAt: new Date(0),
  verified: { scheme: "sample", reading: "r", secretIndex: 0, skewSeconds: 0 },
  tenant: "",
};
const incoming = { method: "POST", target: "/offer/response" };
const input = { offerId: "o1", workerId: "w1", response: "accepted" };
const about = (endpoint: object) => ({ incoming, endpoint: endpoint as HandledEndpoint, input, body: undefined });
const settings = (options: Partial<ReceiverOptions> = {}) =>
  readReceiverOptions<unknown>({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", ...options });

const event = eventKeys(proof, incoming, undefined, undefined);

test("an event needs a receipt of its own, kept as long as its headers are good", () => {
  expect(neededReceipts(settings(), proof, about(workerAddedContact))).toEqual({ needed: [event], keepMs: 600_000 });
  expect(neededReceipts(settings({ toleranceSeconds: 10 }), proof, about(workerAddedContact)).keepMs).toBe(20_000);
});

test("an event that may be taken back is told by its subject", () =>
  expect(neededReceipts(settings(), proof, about(workerOfferResponse)).needed).toEqual([
    eventKeys(proof, incoming, undefined, ["o1", "w1"]),
  ]));

test("a search, and a check of the headers alone, need none", () => {
  expect(neededReceipts(settings(), proof, about(contactSuggestions)).needed).toEqual([]);
  expect(neededReceipts(settings(), proof).needed).toEqual([]);
});

test("bound signatures need one for every request, which refuses all others", () => {
  const bind = settings({ replay: "bind" });
  const bound = { key: signatureKey(proof), refuseTaken: expect.any(Function) };
  expect(neededReceipts(bind, proof).needed).toEqual([bound]);
  expect(neededReceipts(bind, proof, about(contactSuggestions)).needed).toEqual([bound]);
  const { needed } = neededReceipts(bind, proof, about(workerAddedContact));
  expect(needed).toEqual([event, bound]);
  expect(needed[1]?.refuseTaken?.()).toMatchObject({
    rejection: {
      reason: "signature_reused",
      status: 401,
      message: expect.stringMatching(/came with another request before; does the service sign several/),
    },
    answer: { status: 401, headers: { "www-authenticate": "hmac" } },
  });
});

test("who keeps no receipts needs none", () =>
  expect(neededReceipts(settings({ receipts: false }), proof, about(workerOfferResponse))).toEqual({
    needed: [],
    keepMs: 0,
  }));
