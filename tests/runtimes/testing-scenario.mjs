// For Node 22.19 or newer: uses the in-memory service, as a user's test would.
import assert from "node:assert/strict";
import { NotFoundError, OffersClient } from "@offers/client";
import { createTestService } from "@offers/client/testing";

const input = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal", "worker_ben"] };

const checks = {
  async completion(service, offers) {
    const { id } = await offers.createOffer(input);
    service.respond(id, "worker_amal", "applied");
    await offers.completeOffer(id, ["worker_amal"]);
    const { complete, recipients } = await offers.getOffer(id);
    assert.deepEqual([complete, recipients.map(({ response }) => response)], [true, ["applied", "none"]]);
  },
  async withdrawal(_service, offers) {
    const { id } = await offers.createOffer(input);
    await offers.withdrawOffer(id);
    await assert.rejects(offers.completeOffer(id, ["worker_amal"]), { status: 409 });
  },
  async "typed error"(_service, offers) {
    await assert.rejects(offers.getOffer("offer_unknown"), NotFoundError);
  },
  async webhooks(service, offers) {
    const paths = [];
    const handler = async (request) => {
      paths.push(new URL(request.url).pathname);
      return new Response();
    };
    await service.deliverTo(handler, { secret: "secret", sign: () => ({}) });
    const { id } = await offers.createOffer(input);
    service.respond(id, "worker_amal", "rejected");
    await service.deliver();
    assert.deepEqual(paths, ["/test", "/test/auth", "/offer/response"]);
  },
  async retry(service, offers) {
    const { id } = await offers.createOffer(input);
    service.failNext({ status: 503, retryAfterSeconds: 0 });
    const { attempts } = await offers.getOffer(id).withResponse();
    assert.equal(attempts, 2);
  },
};

const results = {};
for (const [name, check] of Object.entries(checks)) {
  const service = createTestService();
  const { baseUrl, apiKey, fetch } = service;
  results[name] = await check(service, new OffersClient({ baseUrl, apiKey, fetch })).then(
    () => "ok",
    (error) => `FAILED: ${error.message}`,
  );
}
console.log(JSON.stringify(results));
