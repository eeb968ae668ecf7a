import { standardWebhooks, timestampDigest, verifyRequest } from "@offers/webhook-kit";
import { expect, test } from "vitest";
import { events } from "../../src/trigger/events.ts";
import { runOffers } from "../support/run-offers.ts";
import { secrets } from "../support/start-receiver.ts";
import { startRecorder } from "../support/start-recorder.ts";

const env = { WEBHOOK_SECRET: secrets.timestampDigest };

test("trigger sends a webhook with the fields from --set, and the kit accepts its signature", async () => {
  const { to, received } = await startRecorder();
  const sets = ["--set", "offerId=offer_7", "--set", "response=rejected=maybe"];
  const { code, stdout } = await runOffers(["trigger", "worker-offer-response", "--to", to, ...sets], env);
  const [request] = received;
  expect(request).toMatchObject({ method: "POST", url: "/offers/offer/response" });
  expect(JSON.parse(String(request?.body))).toEqual({
    offerId: "offer_7",
    workerId: "worker_amal",
    response: "rejected=maybe",
  });
  const verification = await verifyRequest(
    { secret: secrets.timestampDigest, scheme: timestampDigest({ variant: "sha256" }) },
    { rawHeaders: request?.rawHeaders ?? [] },
  );
  expect(verification.ok).toBe(true);
  expect(code).toBe(0);
  expect(stdout).toContain("POST /offers/offer/response HTTP/1.1");
  expect(stdout).toContain("noted");
  expect(stdout).not.toContain(secrets.timestampDigest);
});

test("with Standard Webhooks, trigger signs the body and the id, and the kit accepts the signature", async () => {
  const { to, received } = await startRecorder();
  const args = ["trigger", "timeline-changed", "--to", to, "--scheme", "standard-webhooks"];
  expect((await runOffers(args, { WEBHOOK_SECRET: secrets.standardWebhooks })).code).toBe(0);
  const { rawHeaders = [], body = Buffer.of() } = received[0] ?? {};
  const options = { secret: secrets.standardWebhooks, scheme: standardWebhooks(), onRejected: () => undefined };
  expect((await verifyRequest(options, { rawHeaders, body })).ok).toBe(true);
  expect((await verifyRequest(options, { rawHeaders, body: Buffer.concat([body, Buffer.from(" ")]) })).ok).toBe(false);
});

test.each([
  [
    "a field in the path is encoded",
    ["worker-added-contact", "--set", "workerId=a/b c"],
    "/offers/contact/new/a%2Fb%20c",
    "",
    0,
  ],
  [
    "commas separate the items of a list",
    ["contact-suggestions", "--set", "userEmailAddresses=a@b.example,c@d.example"],
    "/offers/contact-suggestions",
    '{"filter":"chef","userEmailAddresses":["a@b.example","c@d.example"]}',
    // The recorder's response is not a list of suggestions.
    1,
  ],
  ["the secret check has no body", ["test-auth"], "/offers/test/auth", "", 0],
])("%s", async (_, args, url, body, code) => {
  const { to, received } = await startRecorder();
  expect((await runOffers(["trigger", ...args, "--to", to], env)).code).toBe(code);
  expect({ url: received[0]?.url, body: String(received[0]?.body) }).toEqual({ url, body });
});

test("GET /test is sent unsigned, and does not need a secret", async () => {
  const { to, received } = await startRecorder();
  expect((await runOffers(["trigger", "test", "--to", to])).code).toBe(0);
  expect(received[0]?.headers).not.toHaveProperty("authorization");
});

test("trigger exits with 1 if the receiver responds with 204", async () => {
  const { to } = await startRecorder(204);
  const { code, stdout } = await runOffers(["trigger", "test-auth", "--to", to, "--json"], env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ event: "test-auth", acknowledged: false, status: 204 });
});

test.each([
  ["worker-offer-response", "Only 200 acknowledges an event. The service would retry."],
  ["contact-suggestions", "Only 200 is a success. The service would not retry, so the hirer would see no"],
  ["test-auth", "Only 200 is a success. The service would not retry, and would not save the URL"],
  ["test", "Only 200 is a success. The service would not retry, and would not save the URL"],
])("after a failed %s, trigger prints whether the service would retry, as in delivery.md", async (event, text) => {
  const { to } = await startRecorder(500);
  const { code, stdout } = await runOffers(["trigger", event, "--to", to], env);
  expect(stdout).toContain(text);
  expect(code).toBe(1);
});

test.each([
  [401, "test-auth", "Only 200 is a success: the endpoint does not accept the secret; compare it with the one in its"],
  [403, "timeline-changed", "Only 200 acknowledges an event: the endpoint does not accept the secret; compare it with"],
  [404, "test", "Only 200 is a success: nothing is mounted at /test below the base URL. The service would not"],
  [404, "worker-added-contact", "an event: nothing is mounted at /contact/new/{workerId} below the base URL. The"],
  [302, "test", "Only 200 is a success: redirects are not followed; enter the final URL. The service would not"],
  [
    204,
    "timeline-changed",
    "Only 200 acknowledges an event. Many frameworks send 204 for a handler that returns nothing",
  ],
])("after a response of %i to %s, trigger prints a remedy", async (status, event, text) => {
  const { to } = await startRecorder(status);
  const { code, stdout } = await runOffers(["trigger", event, "--to", to], env);
  expect(stdout).toContain(text);
  expect(code).toBe(1);
});

test("trigger --help describes every event", async () => {
  const { stdout } = await runOffers(["trigger", "--help"]);
  for (const { name, summary } of events) expect(stdout).toMatch(new RegExp(`${name} +${summary}`));
});
