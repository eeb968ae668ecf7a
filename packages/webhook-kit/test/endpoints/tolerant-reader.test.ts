import { describe, expect, test, vi } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { parseWebhookEvent } from "../../src/index.ts";
import type { Logger, ReceiverOptions } from "../../src/options/options.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { mount, post } from "../support/mount.ts";
import { runOptions } from "../support/property-runs.ts";
import { createJsonHeaders, secret, sendRaw } from "../support/serve.ts";

const times = {
  periodStart: "2099-05-01T00:00:00Z",
  periodEnd: "2099-05-08T00:00:00Z",
  completedAt: "2099-04-20T09:30:00Z",
};

/** For each path, a loosely typed payload, the payload that the handler receives, and the fields that deviate. */
const loosePayloads: [path: string, sent: object, handled: object, paths: string[]][] = [
  [
    "/offer/response",
    { offerId: 4711, workerId: 7, response: "accepted", note: null },
    { offerId: "4711", workerId: "7", response: "accepted", note: null },
    ["offerId", "workerId"],
  ],
  [
    "/offer/eventDeleted",
    { offerId: "o1", workerId: 7, eventStart: "2099-05-01" },
    { offerId: "o1", workerId: "7", eventStart: "2099-05-01T00:00:00Z" },
    ["workerId", "eventStart"],
  ],
  [
    "/events/timelineChanged",
    { workerId: 7, ...times, offerId: "", maxAvailableNow: "3" },
    { workerId: "7", ...times, maxAvailableNow: 3 },
    ["workerId", "offerId", "maxAvailableNow"],
  ],
  [
    "/contact-suggestions",
    { filter: 7, userEmailAddresses: "hana@harbour.example" },
    { filter: "7", userEmailAddresses: ["hana@harbour.example"] },
    ["filter", "userEmailAddresses"],
  ],
];

function setUp() {
  const handler = vi.fn((_input: unknown): never[] => []);
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() } satisfies Logger;
  const options: Partial<ReceiverOptions> = {
    suggestContacts: handler,
    onWorkerOfferResponse: handler,
    onOfferEventDeleted: handler,
    onTimelineChanged: handler,
    onEvent: handler,
    logger,
  };
  return { handler, logger, options };
}

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(loosePayloads)(
    "a loosely typed payload for %s reaches its handler, and the paths of its deviations are logged once [D-125]",
    async (path, payload, expectedPayload, deviatingPaths) => {
      const { handler, logger, options } = setUp();
      const request = await mount(adapter, options);
      for (const sentAt of ["first", "second"]) {
        const { status } = await request(path, post({ ...payload, sentAt }));
        expect(status).toBe(200);
        expect(handler.mock.lastCall?.[0]).toStrictEqual({ ...expectedPayload, sentAt });
      }
      const endpoint = {
        "/offer/response": "WorkerOfferResponse",
        "/offer/eventDeleted": "OfferEventDeleted",
        "/events/timelineChanged": "TimelineChanged",
        "/contact-suggestions": "ContactSuggestions",
      }[path];
      expect(logger.warn.mock.calls).toEqual([
        [
          { code: "unexpected_payload_shape", endpoint, paths: deviatingPaths },
          expect.stringMatching(/^a payload differs from the contract/),
        ],
      ]);
    },
  );
});

test.each(sampleAdapters)(
  "$name reads ids that are numbers from a raw socket, and rejects those that JSON rounds",
  async (adapter) => {
    const { handler, options } = setUp();
    const { port } = await adapter.serve({ secret, ...options });
    const send = (body: string) => {
      const headers = createJsonHeaders({ host: "a", connection: "close", "content-length": String(body.length) });
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      return sendRaw(port, `POST /offer/response HTTP/1.1\r\n${head.join("")}\r\n${body}`);
    };
    const payload = (offerId: string) => `{"offerId":${offerId},"workerId":"w","response":"rejected"}`;
    expect(await send(payload("9007199254740991"))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await send(payload("9007199254740993"))).toMatch(
      /^HTTP\/1\.1 400 .*"offerId":\["Must be of type string\."\]/s,
    );
    expect(handler.mock.calls.map(([input]) => input)).toEqual([
      { offerId: "9007199254740991", workerId: "w", response: "rejected" },
    ]);
  },
);

test("the log line does not contain values from the payload", async () => {
  const { logger, options } = setUp();
  const handle = webhookHandler({ secret, ...options });
  const body = { userEmailAddresses: ["SENTINEL@harbour.example", null], filter: 4711 };
  await handle(new Request("http://127.0.0.1/contact-suggestions", post(body)));
  expect(JSON.stringify(logger.warn.mock.calls)).not.toMatch(/SENTINEL|4711/);
});

/** Generates pairs of a value from a sender and the string that the handler receives, which is undefined if the value is rejected. */
const idShape = fc.oneof(
  fc.string({ minLength: 1 }).map((text) => [text, text] as const),
  fc.maxSafeInteger().map((number) => [number, BigInt(number).toString()] as const),
  fc.constantFrom("", null, true, [], {}, 2 ** 60, undefined).map((value) => [value, undefined] as const),
);
/** Like `idShape`, for an optional number. `"absent"` means that the handler does not receive the field. */
const optionalNumberShape = fc.oneof(
  fc.integer().map((number) => [number, number] as const),
  fc.integer().map((number) => [String(number), number] as const),
  fc.constantFrom(null, "", undefined).map((value) => [value, "absent"] as const),
  fc.constantFrom("many", true, [], {}).map((value) => [value, undefined] as const),
);
const dayShape = fc
  .date({ min: new Date("1970-01-01"), max: new Date("2999-12-31"), noInvalidDate: true })
  .chain((date) => {
    const [day = "", time = ""] = date.toISOString().split("T");
    return fc.constantFrom(
      [`${day}T${time}`, `${day}T${time}`] as const,
      [day, `${day}T00:00:00Z`] as const,
      [`${day}T${time}`.slice(0, -1), undefined] as const,
    );
  });

test("any payload is handled with the types of the contract, or gets 400 if a value is invalid [D-125]", () =>
  fc.assert(
    fc.asyncProperty(
      idShape,
      idShape,
      optionalNumberShape,
      dayShape,
      async (workerPair, offerPair, maximumPair, startPair) => {
        const [workerId, expectedWorkerId] = workerPair;
        const [offerId, expectedOfferId] = offerPair;
        const [maxAvailableNow, expectedMaximum] = maximumPair;
        const [periodStart, expectedStart] = startPair;
        const { handler, options } = setUp();
        const handle = webhookHandler({ secret, ...options, onError: (error) => expect.unreachable(error.message) });
        const payload = { workerId, offerId, ...times, periodStart, maxAvailableNow };
        const { status } = await handle(new Request("http://127.0.0.1/events/timelineChanged", post(payload)));
        // The offer id is optional, so an empty id counts as absent.
        const isOfferAbsent = offerId === null || offerId === "" || offerId === undefined;
        const isInvalid =
          expectedWorkerId === undefined ||
          (expectedOfferId === undefined && !isOfferAbsent) ||
          expectedMaximum === undefined ||
          expectedStart === undefined;
        expect(status).toBe(isInvalid ? 400 : 200);
        if (isInvalid) return;
        expect(handler.mock.lastCall?.[0]).toStrictEqual({
          ...times,
          workerId: expectedWorkerId,
          periodStart: expectedStart,
          ...(!isOfferAbsent && { offerId: expectedOfferId }),
          ...(expectedMaximum !== "absent" && { maxAvailableNow: expectedMaximum }),
        });
      },
    ),
    runOptions(150),
  ));

test("parseWebhookEvent reads an event from a queue with the same tolerance", () => {
  const event = {
    type: "WorkerOfferResponse",
    receivedAt: "2099-04-20T09:30:00.000Z",
    deduplicationKey: null,
    unverifiedDeliveryId: null,
  };
  expect(parseWebhookEvent({ ...event, data: { offerId: 7, workerId: "w", response: "accepted" } })).toStrictEqual({
    type: "WorkerOfferResponse",
    receivedAt: "2099-04-20T09:30:00.000Z",
    data: { offerId: "7", workerId: "w", response: "accepted" },
  });
});
