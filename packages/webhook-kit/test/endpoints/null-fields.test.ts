import { describe, expect, test, vi } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import type { ContactSuggestion } from "../../src/index.ts";
import { sampleAdapters } from "../support/adapters.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";
import { eventDeleted, timelineChanged } from "../support/payloads.ts";
import { quietOptions, secret } from "../support/serve.ts";

const search = { userEmailAddresses: ["hana@harbour.example"] };

/** The required and optional fields of each path, from interface.md and the documentation of the live service. */
const webhooks: [path: string, required: Record<string, unknown>, optional: string[]][] = [
  ["/contact-suggestions", search, ["filter"]],
  ["/offer/response", acceptedResponse, []],
  ["/offer/eventDeleted", eventDeleted, []],
  ["/events/timelineChanged", timelineChanged, ["offerId", "maxAvailableNow", "maxAvailableNowCreated"]],
];

const createHandlers = (handler: () => never[]) => ({
  suggestContacts: handler,
  onWorkerOfferResponse: handler,
  onOfferEventDeleted: handler,
  onTimelineChanged: handler,
});

describe.each(sampleAdapters)("$name [D-94]", (adapter) => {
  test.each(webhooks)(
    "the handler for %s does not get optional fields that are null, but gets all other fields",
    async (path, required, optional) => {
      const handler = vi.fn((): never[] => []);
      const request = await mount(adapter, createHandlers(handler));
      const nullFields = Object.fromEntries(optional.map((name) => [name, null]));
      // A field outside the contract reaches the handler even if it is null (D-35).
      const payload = { ...required, ...nullFields, newer: null, nested: { filter: null } };
      expect((await request(path, post(payload))).status).toBe(200);
      // toStrictEqual distinguishes a key whose value is undefined.
      expect(handler.mock.calls[0]?.at(0)).toStrictEqual({ ...required, newer: null, nested: { filter: null } });
    },
  );

  test.each(webhooks)(
    "a payload for %s with a null required field gets 400 with the field name",
    async (path, required) => {
      const handler = vi.fn((): never[] => []);
      const request = await mount(adapter, createHandlers(handler));
      for (const name of Object.keys(required)) {
        const response = await request(path, post({ ...required, [name]: null }));
        expect([response.status, Object.keys((await response.json()).errors)]).toEqual([400, [name]]);
      }
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test("a suggestion with a null image is sent without an image", async () => {
    const dana = { name: "Dana Kim", emailAddress: "dana.kim@example.com", ratings: [] };
    const request = await mount(adapter, {
      suggestContacts: () => [{ ...dana, profileImageUrl: null }, dana] as unknown as ContactSuggestion[],
    });
    const response = await request("/contact-suggestions", post(search));
    expect([response.status, await response.json()]).toEqual([200, [dana, dana]]);
  });
});

test.each(["", "[]", "null", "7", '"text"'])("the body %j gets 400", async (body) => {
  const handler = webhookHandler({ ...quietOptions, secret, onTimelineChanged: () => undefined });
  const { status } = await handler(new Request("http://127.0.0.1/events/timelineChanged", post(body)));
  expect(status).toBe(400);
});

test("a member named __proto__ does not set the prototype", async () => {
  const onTimelineChanged = vi.fn();
  const body = `{"__proto__":{"offerId":"polluted"},"offerId":null,${JSON.stringify(timelineChanged).slice(1)}`;
  const handler = webhookHandler({ secret, onTimelineChanged });
  expect((await handler(new Request("http://127.0.0.1/events/timelineChanged", post(body)))).status).toBe(200);
  expect(onTimelineChanged.mock.calls[0]?.at(0).offerId).toBeUndefined();
  expect({}).not.toHaveProperty("offerId");
});
