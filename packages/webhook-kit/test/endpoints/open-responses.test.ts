import { describe, expect, expectTypeOf, test, vi } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { webhookHandler } from "../../src/fetch.ts";
import type { WorkerOfferResponse } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";
import { quietOptions, secret } from "../support/serve.ts";

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each(["applied", "declined", "none", "Accepted", "accepted ", "später", "toString", ""])(
    "the response %j reaches the handler as it was sent, and is acknowledged [D-95]",
    async (response) => {
      const onWorkerOfferResponse = vi.fn();
      const info = vi.fn();
      const logger = { info, warn: vi.fn(), error: vi.fn() };
      const request = await mount(adapter, { onWorkerOfferResponse, logger });
      const event = post({ ...acceptedResponse, response });
      expect([
        (await request("/offer/response", event)).status,
        (await request("/offer/response", event)).status,
      ]).toEqual([200, 200]);
      expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(
        { ...acceptedResponse, response },
        expect.anything(),
      );
      expect(info.mock.calls).toEqual([
        [{ endpoint: "WorkerOfferResponse", duplicate: false }, "webhook handled"],
        [{ endpoint: "WorkerOfferResponse", duplicate: true }, "webhook handled"],
      ]);
    },
  );
});

test("any string reaches the handler as a response [D-95]", () =>
  fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), async (response) => {
      const onWorkerOfferResponse = vi.fn();
      const handler = webhookHandler({ secret, onWorkerOfferResponse });
      const { status } = await handler(
        new Request("http://127.0.0.1/offer/response", post({ ...acceptedResponse, response })),
      );
      expect([status, onWorkerOfferResponse.mock.calls[0]?.[0].response]).toEqual([200, response]);
    }),
    { numRuns: pickNumRuns(50, 200) },
  ));

test("unknown responses of one worker under the same signature are all handled, in order", async () => {
  const handled: string[] = [];
  const handler = webhookHandler({ secret, onWorkerOfferResponse: ({ response }) => void handled.push(response) });
  const { headers } = post(acceptedResponse);
  for (const response of ["applied", "declined", "applied", "applied"])
    await handler(
      new Request("http://127.0.0.1/offer/response", {
        method: "POST",
        headers: headers ?? {},
        body: JSON.stringify({ ...acceptedResponse, response }),
      }),
    );
  expect(handled).toEqual(["applied", "declined", "applied"]);
});

test.each([null, true, ["accepted"], { word: "accepted" }, undefined])(
  "a payload whose response is %j gets 400 [D-95]",
  async (response) => {
    const onWorkerOfferResponse = vi.fn();
    const handler = webhookHandler({ ...quietOptions, secret, onWorkerOfferResponse });
    const rejectedResponse = await handler(
      new Request("http://127.0.0.1/offer/response", post({ ...acceptedResponse, response })),
    );
    expect([rejectedResponse.status, (await rejectedResponse.json()).errors]).toEqual([
      400,
      { response: ["Must be of type string."] },
    ]);
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  },
);

test("the type of a response accepts any string, and editors suggest the known responses", () => {
  expectTypeOf<WorkerOfferResponse["response"]>().toEqualTypeOf<"accepted" | "rejected" | (string & {})>();
  expectTypeOf<string>().toExtend<WorkerOfferResponse["response"]>();
});
