import { createHmac } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { webhookHandler } from "../../src/fetch.ts";
import type { SignatureScheme } from "../../src/index.ts";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";
import { testReceiver } from "../../src/testing.ts";
import { captureConsole } from "../support/capture-console.ts";
import { expressVersions, quietOptions, secret } from "../support/serve.ts";

captureConsole();

type App = Parameters<typeof testReceiver>[0];
type Options = Partial<Parameters<typeof testReceiver>[1]>;

const basePath = "/hooks";
const adapters: [name: string, mount: (options: ReceiverOptions) => App][] = [
  ...expressVersions.map(({ version, express }): (typeof adapters)[number] => [
    `Express ${version}`,
    (options) => express().use(basePath, webhookRouter({ ...quietOptions, ...options })),
  ]),
  ["node:http", (options) => webhookListener({ basePath, ...quietOptions, ...options })],
  ["fetch", (options) => ({ fetch: webhookHandler({ basePath, ...quietOptions, ...options }) })],
];

const samples: Parameters<Awaited<ReturnType<typeof testReceiver>>["checkContract"]>[0] = {
  workerAddedContact: { workerId: "worker_amal" },
  workerOfferResponse: { offerId: "offer_1", workerId: "worker_amal", response: "accepted" },
  contactSuggestions: { userEmailAddresses: ["hana@harbour-hotels.example"] },
  offerEventDeleted: { offerId: "offer_1", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" },
  timelineChanged: {
    workerId: "worker_amal",
    periodStart: "2099-05-01T00:00:00Z",
    periodEnd: "2099-05-08T00:00:00Z",
    completedAt: "2099-04-20T09:30:00Z",
  },
};

const createHandlers = () => ({
  onWorkerAddedContact: vi.fn(),
  onWorkerOfferResponse: vi.fn(),
  suggestContacts: vi.fn(() => [{ name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [] }]),
  onOfferEventDeleted: vi.fn(),
  onTimelineChanged: vi.fn(),
});

/** A scheme that signs time, id and body. */
const bodyHmac: SignatureScheme = {
  name: "body-hmac",
  wwwAuthenticate: "Body-HMAC",
  signsBody: true,
  sign({ secret, now, id = "", body = new Uint8Array() }) {
    const time = String(now.getTime());
    return { "X-Time": time, "X-Id": id, "X-Signature": hmac(secret, time, id, body) };
  },
  parse(rawHeaders) {
    // `rawHeaders` alternates between names and values.
    const findValues = (name: string) =>
      rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
    const valuesByHeader = ["x-time", "x-id", "x-signature"].map(findValues);
    const [time = "", id = "", signature = ""] = valuesByHeader.map(([value]) => value);
    const isComplete = valuesByHeader.every(
      ([value, ...duplicates]) => value && !value.includes(",") && duplicates.length === 0,
    );
    if (!isComplete || !/^\d+$/.test(time)) return { code: "missing_timestamp", message: "no" };
    return { signedAt: { earliest: Number(time), latest: Number(time) }, signature: Buffer.from(signature), id };
  },
  verify({ signedAt, signature, id = "" }, secrets, body = new Uint8Array()) {
    const text = Buffer.from(signature).toString();
    const secretIndex = secrets.findIndex((secret) => text === hmac(secret, String(signedAt.earliest), id, body));
    return secretIndex < 0 ? undefined : { secretIndex, variant: "body" };
  },
};
const hmac = (key: string, time: string, id: string, body: Uint8Array) =>
  createHmac("sha256", key).update(`${time}.${id}.`).update(body).digest("hex");

/** Whether to test every adapter, instead of only node:http, with every setting. */
const isFull = process.env.TEST_MATRIX === "full";

describe.each(adapters)("the kit on %s", (name, mount) => {
  test("checkContract finds no problems in the kit, and calls its handlers only for samples [D-61]", async () => {
    const handlers = createHandlers();
    await using receiver = await testReceiver(mount({ secret, ...handlers }), { secret, basePath });
    expect(await receiver.checkContract()).toEqual([]);
    expect(Object.values(handlers).flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  test("the kit handles each sample of checkContract once", async () => {
    const handlers = createHandlers();
    await using receiver = await testReceiver(mount({ secret, ...handlers }), { secret, basePath });
    expect(await receiver.checkContract(samples)).toEqual([]);
    expect(Object.values(handlers).map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1, 1, 1]);
  });

  const standard = { scheme: standardWebhooks(), secret: `whsec_${Buffer.alloc(32, "k").toString("base64")}` };
  const hmacOnly = timestampDigest({ variant: "hmac" });
  const settings: [string, Options, Partial<ReceiverOptions>][] = [
    ["no handler", {}, {}],
    ["its own tolerance", { toleranceSeconds: 20 }, { toleranceSeconds: 20 }],
    ["one variant of the digest", { scheme: hmacOnly }, { scheme: hmacOnly }],
    ["a scheme that covers the body", { scheme: bodyHmac }, { scheme: bodyHmac }],
    ["Standard Webhooks", standard, standard],
    ["secrets in rotation", {}, { secret: ["another-secret-of-the-profile", secret] }],
    ["single-use signatures", {}, { replayProtection: "single-use-signature" }],
    ["another clock", { now: () => new Date("2030-01-01") }, { now: () => new Date("2030-01-01") }],
  ];
  const testedSettings = isFull || name === "node:http" ? settings : settings.slice(0, 1);
  test.each(testedSettings)(
    "checkContract, even if called twice, finds no problems in the kit with %s",
    async (setting, testOptions, receiverOptions) => {
      const handlers = setting === "no handler" ? {} : createHandlers();
      const app = mount({ secret, ...receiverOptions, ...handlers });
      await using receiver = await testReceiver(app, { secret, basePath, ...testOptions });
      const checkedSamples = setting === "no handler" ? {} : samples;
      expect([await receiver.checkContract(checkedSamples), await receiver.checkContract(checkedSamples)]).toEqual([
        [],
        [],
      ]);
    },
  );

  test("checkContract finds no problems with single-use signatures, even if a minute starts between two checks", async () => {
    let time = Date.parse("2030-01-01T12:00:58Z");
    const now = () => new Date(time);
    const app = mount({ secret, now, replayProtection: "single-use-signature" });
    await using receiver = await testReceiver(app, { secret, basePath, now });
    expect(await receiver.checkContract()).toEqual([]);
    time += 4_000;
    expect(await receiver.checkContract()).toEqual([]);
  });

  test("checkContract reports a receiver that accepts old requests, even under a scheme that covers the body", async () => {
    for (const scheme of [undefined, bodyHmac]) {
      const sharedOptions = { secret, ...(scheme && { scheme }) };
      const app = mount({ ...sharedOptions, toleranceSeconds: 86_400, ...createHandlers() });
      await using receiver = await testReceiver(app, { ...sharedOptions, basePath });
      const endpoints =
        "GET /test/auth, GET /contact/new/worker_made_up, POST /contact-suggestions, POST /offer/response, " +
        "POST /offer/eventDeleted, POST /events/timelineChanged";
      expect(await receiver.checkContract()).toEqual([
        `A request signed too long ago must be rejected, but 200 was returned by ${endpoints}.`,
        `A request signed in the future must be rejected, but 200 was returned by ${endpoints}.`,
      ]);
    }
  });

  test("checkContract reports a receiver whose scheme does not verify the signed body", async () => {
    const permissiveScheme: SignatureScheme = {
      ...bodyHmac,
      verify: (_parsed, _secrets) => ({ secretIndex: 0, variant: "none" }),
    };
    const app = mount({ secret, scheme: permissiveScheme, ...createHandlers() });
    await using receiver = await testReceiver(app, { secret, basePath, scheme: bodyHmac });
    const problems = await receiver.checkContract(samples);
    expect(problems).toContain(
      "A body that was not signed must be rejected, but 200 was returned by POST /offer/response.",
    );
    expect(problems).toContain(
      "A request with garbage after X-Signature must be rejected, but 200 was returned by GET /test/auth.",
    );
  });
});
