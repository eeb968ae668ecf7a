import { describe, expect, test, vi } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { parseWebhookEvent } from "../../src/index.ts";
import type { Logger, ReceiverOptions } from "../../src/options/options.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { mount, post } from "../support/mount.ts";
import { runOptions } from "../support/property-runs.ts";
import { jsonHeaders, secret, sendRaw } from "../support/serve.ts";

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
    logger,
  };
  return { handler, logger, options };
}

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(loosePayloads)(
    "a loosely typed payload for %s reaches its handler, and the paths of its deviations are logged once [D-125]",
    async (path, sent, handled, paths) => {
      const { handler, logger, options } = setUp();
      const request = await mount(adapter, options);
      for (const sentAt of ["first", "second"]) {
        const { status } = await request(path, post({ ...sent, sentAt }));
        expect(status).toBe(200);
        expect(handler.mock.lastCall?.[0]).toStrictEqual({ ...handled, sentAt });
      }
      const name = {
        "/offer/response": "WorkerOfferResponse",
        "/offer/eventDeleted": "OfferEventDeleted",
        "/events/timelineChanged": "TimelineChanged",
        "/contact-suggestions": "ContactSuggestions",
      }[path];
      expect(logger.warn.mock.calls).toEqual([
        [
          { code: "unexpected_payload_shape", endpoint: name, paths },
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
      const headers = jsonHeaders({ host: "a", connection: "close", "content-length": String(body.length) });
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

/** Generates a value that a sender may send, and the string that the handler receives, or undefined if the value is rejected. */
const idShape = fc.oneof(
  fc.string({ minLength: 1 }).map((text) => [text, text] as const),
  fc.maxSafeInteger().map((number) => [number, BigInt(number).toString()] as const),
  fc.constantFrom("", null, true, [], {}, 2 ** 60, undefined).map((value) => [value, undefined] as const),
);
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

test("any payload is handled with the contract's types, or gets 400 if it is meaningless [D-125]", () =>
  fc.assert(
    fc.asyncProperty(idShape, idShape, optionalNumberShape, dayShape, async (worker, offer, most, start) => {
      const { handler, options } = setUp();
      const handle = webhookHandler({ secret, ...options, onError: (error) => expect.unreachable(error.message) });
      const sent = {
        workerId: worker[0],
        offerId: offer[0],
        ...times,
        periodStart: start[0],
        maxAvailableNow: most[0],
      };
      const { status } = await handle(new Request("http://127.0.0.1/events/timelineChanged", post(sent)));
      // The offer's id is optional, so an empty id counts as absent.
      const isOfferAbsent = offer[0] === null || offer[0] === "" || offer[0] === undefined;
      const isUnusable =
        worker[1] === undefined ||
        (offer[1] === undefined && !isOfferAbsent) ||
        most[1] === undefined ||
        start[1] === undefined;
      expect(status).toBe(isUnusable ? 400 : 200);
      if (isUnusable) return;
      expect(handler.mock.lastCall?.[0]).toStrictEqual({
        ...times,
        workerId: worker[1],
        periodStart: start[1],
        ...(!isOfferAbsent && { offerId: offer[1] }),
        ...(most[1] !== "absent" && { maxAvailableNow: most[1] }),
      });
    }),
    runOptions(150),
  ));

test("an event from a queue is read with the same tolerance", () => {
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
