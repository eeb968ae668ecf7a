import { describe, expect, test, vi } from "vitest";
import { sampleAdapters } from "../support/adapters.ts";
import { acceptedResponse, mount, post } from "../support/mount.ts";

describe.each(sampleAdapters)("$name", (adapter) => {
  test.each<[string, unknown, Record<string, string[]>]>([
    ["/offer/response", [], { body: [expect.any(String) as string] }],
    ["/offer/response", { ...acceptedResponse, offerId: "" }, { offerId: [expect.any(String) as string] }],
    ["/offer/response", { ...acceptedResponse, workerId: true }, { workerId: [expect.any(String) as string] }],
    ["/offer/response", { ...acceptedResponse, response: true }, { response: ["Must be of type string."] }],
    ["/contact-suggestions", {}, { userEmailAddresses: [expect.any(String) as string] }],
    [
      "/contact-suggestions",
      { userEmailAddresses: ["a@b", "PRIVATE"] },
      { "userEmailAddresses[1]": [expect.any(String) as string] },
    ],
    [
      "/contact-suggestions",
      { userEmailAddresses: [], filter: { $ne: "PRIVATE" } },
      { filter: [expect.any(String) as string] },
    ],
  ])(
    "an invalid payload for %s (%j) gets 400, with errors per field but no values [D-17] [interface: Resources 1]",
    async (path, payload, errors) => {
      const onRejected = vi.fn();
      const handler = vi.fn(() => []);
      const request = await mount(adapter, { onRejected, onWorkerOfferResponse: handler, suggestContacts: handler });
      const response = await request(path, post(payload));
      const text = await response.text();
      expect([response.status, JSON.parse(text).errors]).toEqual([400, errors]);
      expect(text + JSON.stringify(onRejected.mock.calls)).not.toContain("PRIVATE");
      expect(onRejected).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ code: "invalid_request", status: 400 }),
      );
      expect(handler).not.toHaveBeenCalled();
    },
  );
});
