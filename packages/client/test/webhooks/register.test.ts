import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createWebhookFixture, respondStatus, second, secret, sign } from "./webhook-fixture.ts";

const errorWithCode = (code: string) => expect.objectContaining({ code });

test("a receiver is registered once GET /test, unsigned, and GET /test/auth, signed, respond with 200 [D-69]", async () => {
  const { service, handler, profile, webhooks } = await createWebhookFixture(false);
  await service.deliverTo(handler, { ...profile, baseUrl: "https://integrator.test/some/prefix/" });
  const common = { accept: "application/json", "accept-encoding": "identity", "user-agent": "offers-platform" };
  expect(webhooks).toEqual([
    { method: "GET", url: "https://integrator.test/some/prefix/test", headers: common, body: "" },
    {
      method: "GET",
      url: "https://integrator.test/some/prefix/test/auth",
      headers: { ...common, timestamp: "2030-05-01T12:00:00.000Z", authorization: `signed with ${secret}` },
      body: "",
    },
  ]);
  expect(service.deliveries).toEqual([]);
});

test("a receiver that fails a check is not registered, and the error lists each failure", async () => {
  const { service, handler, profile, respondWith, offerId } = await createWebhookFixture(false);
  const thrown = new Error("no");
  respondWith(({ url }) => {
    if (url.endsWith("/auth")) throw thrown;
    return new Response(null, { status: 204 });
  });
  const error = await service.deliverTo(handler, profile).catch((error) => error);
  expect(error).toMatchObject({ name: "DeliveryError", code: "endpoint_check_failed", cause: thrown });
  expect(error.message).toContain("GET /test: 204; only 200 counts. GET /test/auth: connection_lost.");
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(service.deliveries).toEqual([]);
});

test("a new receiver that fails a check does not replace the current one", async () => {
  const { service, webhooks, profile, offerId } = await createWebhookFixture();
  await expect(service.deliverTo(async () => new Response(null, { status: 401 }), profile)).rejects.toEqual(
    errorWithCode("endpoint_check_failed"),
  );
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(webhooks).toHaveLength(1);
});

test("a receiver may be the URL of a running server", async () => {
  const { service, profile, offerId } = await createWebhookFixture(false);
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    paths.push(url);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/`;
  onTestFinished(() => void server.close());
  await service.deliverTo(address, profile);
  await service.deliverTo(new URL(address), profile);
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(paths).toEqual([
    "/hooks/test",
    "/hooks/test/auth",
    "/hooks/test",
    "/hooks/test/auth",
    "/hooks/offer/response",
  ]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  service.addContact("worker_ben");
  // The first attempt may still use a connection that the server is closing.
  await service.advance(5 * second);
  expect(service.deliveries.at(-1)?.attempts).toMatchObject([{}, { failure: "connection_refused" }]);
});

test.each([
  "example.com",
  "ftp://example.com",
  "https://me@example.com",
  "https://example.com/?a",
  "https://example.com#",
])("%s is not a valid base URL", async (address) => {
  const { service, handler, profile } = await createWebhookFixture(false);
  await expect(service.deliverTo(address, profile)).rejects.toEqual(errorWithCode("invalid_address"));
  await expect(service.deliverTo(handler, { ...profile, baseUrl: address })).rejects.toEqual(
    errorWithCode("invalid_address"),
  );
});

test("each mistake in a test causes an error with a code", async () => {
  const { service, handler, profile, offerId } = await createWebhookFixture(false);
  const unsigned = { ...profile, sign: undefined } as unknown as typeof profile;
  await expect(service.deliverTo(handler, unsigned)).rejects.toEqual(errorWithCode("invalid_argument"));
  await expect(service.suggestContacts({ userEmailAddresses: [] })).rejects.toEqual(errorWithCode("no_receiver"));
  await service.deliverTo(handler, profile);
  service.respond(offerId, "worker_amal", "applied");
  const [id = ""] = service.deliveries.map(({ id }) => id);
  await expect(service.resend(id, { copies: 0 })).rejects.toEqual(errorWithCode("invalid_argument"));
  await expect(service.resend("unknown")).rejects.toEqual(errorWithCode("delivery_not_found"));
  for (const ms of [-1, Number.NaN, Number.POSITIVE_INFINITY])
    await expect(service.advance(ms)).rejects.toEqual(errorWithCode("invalid_argument"));
  expect(() => service.addContact("worker_nobody")).toThrow(errorWithCode("worker_not_found"));
  expect(() => service.redeliver("unknown")).toThrow(errorWithCode("delivery_not_found"));
});

test("deliver rejects with the error that sign throws, and the delivery stays pending", async () => {
  const { service, handler, profile, offerId } = await createWebhookFixture();
  let isBroken = false;
  const failingSign = () => {
    if (isBroken) throw new TypeError("no such secret");
    return {};
  };
  await service.deliverTo(handler, { ...profile, sign: failingSign });
  isBroken = true;
  service.respond(offerId, "worker_amal", "applied");
  await expect(service.deliver()).rejects.toThrow("no such secret");
  isBroken = false;
  await service.deliver();
  expect(service.deliveries).toMatchObject([{ state: "acknowledged", attempts: [{ number: 1 }] }]);
});

test("no two webhooks are signed with the same time, even while the clock is stopped", async () => {
  const { service, webhooks } = await createWebhookFixture();
  for (let times = 0; times < 3; times += 1) service.addContact("worker_amal");
  await service.deliver();
  expect(new Set(webhooks.map(({ headers }) => headers.timestamp)).size).toBe(3);
  expect(sign({ secret, now: service.now() }).timestamp).toBe("2030-05-01T12:00:00.000Z");
});

test("if a handler returns no Response, the attempt fails as a lost connection", async () => {
  const { service, respondWith, offerId } = await createWebhookFixture();
  respondWith(() => undefined as unknown as Response);
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(service.deliveries[0]?.attempts).toMatchObject([
    {
      failure: "connection_lost",
      error: expect.objectContaining({
        message:
          "The handler did not return a Response. A node:http listener must declare both parameters, request and response.",
      }),
    },
  ]);
  respondWith(respondStatus(200));
});
