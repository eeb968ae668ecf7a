// Isolated, because a process prints each of these warnings only once.
import { expect, test, vi } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { post } from "../support/mount.ts";
import { eventDeleted } from "../support/payloads.ts";
import { secret } from "../support/serve.ts";

const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
const handle = () => undefined;

test("a receiver names once per process the events that it rejects or drops, and each event when it is first dropped [D-152]", async () => {
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  for (let count = 0; count < 3; count += 1) {
    const handler = webhookHandler({ secret, logger, onWorkerAddedContact: handle });
    expect((await handler(new Request("http://127.0.0.1/offer/eventDeleted", post(eventDeleted)))).status).toBe(200);
  }
  expect(logger.warn.mock.calls).toEqual([
    [
      { code: "no_handler" },
      "The webhook receiver has no handler for WorkerOfferResponse (404), OfferEventDeleted (acknowledged and dropped), TimelineChanged (acknowledged and dropped). These events are lost. Pass their handlers or onEvent.",
    ],
    [
      { code: "event_dropped" },
      "OfferEventDeleted was acknowledged and dropped, and will not be sent again. Pass onOfferEventDeleted or onEvent.",
    ],
  ]);
  webhookHandler({ secret, onWorkerOfferResponse: handle, onWorkerAddedContact: handle, onOfferEventDeleted: handle });
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/no handler for TimelineChanged \(acknowledged and dropped\)\. .*\(no_handler\)$/)],
  ]);
});
