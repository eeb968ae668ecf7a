import { describe, expect, test } from "vitest";
import { anyStore } from "../support/stores/stores.ts";
import { input, now, useOffersApi } from "./use-offers-api.ts";

const today = now.toISOString().slice(0, 10);

describe.each(await anyStore())("the offers API on $title", ({ createDatabase }) => {
  const { call, post } = useOffersApi(createDatabase);

  describe("request bodies", () => {
    const json = { "Content-Type": "application/json" };

    test.each([
      ["malformed", { body: '{"title":', headers: json }, 400, "malformed_json"],
      ["not UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]), headers: json }, 400, "malformed_json"],
      ["missing", {}, 400, "missing_body"],
      ["declared as text", { body: "{}", headers: { "Content-Type": "text/plain" } }, 415, "unsupported_media_type"],
      ["sent without a media type", { body: new Uint8Array([0x7b, 0x7d]) }, 415, "unsupported_media_type"],
      [
        "declared in a different charset",
        { body: "{}", headers: { "Content-Type": "application/json; charset=utf-16" } },
        415,
        "unsupported_media_type",
      ],
      [
        "compressed with an unknown encoding",
        { body: "{}", headers: { ...json, "Content-Encoding": "zstd9" } },
        415,
        "unsupported_media_type",
      ],
      [
        "not compressed as declared",
        { body: "{}", headers: { ...json, "Content-Encoding": "gzip" } },
        400,
        "malformed_json",
      ],
      [
        "nested too deeply",
        { body: `{"x":${"[".repeat(30_000)}${"]".repeat(30_000)}}`, headers: json },
        400,
        "invalid_request",
      ],
      ["too large", { body: `"${"x".repeat(64 * 1024)}"`, headers: json }, 413, "body_too_large"],
    ])("a body that is %s is rejected [D-19] [interface: Errors 3]", async (_, options, status, code) => {
      for (const path of ["/offer", "/offer/unknown/complete?api-version=1.0"]) {
        const response = await call("POST", path, options);
        expect(response.status).toBe(status);
        expect(response.json()).toMatchObject({ code, detail: expect.any(String) });
      }
    });

    test.each(["application/json; charset=UTF-8", "application/vnd.offers+json"])(
      "a body declared as %s is accepted",
      async (type) => {
        const response = await call("POST", "/offer", {
          body: JSON.stringify(input),
          headers: { "Content-Type": type },
        });
        expect(response.status).toBe(201);
      },
    );
  });

  describe("offer creation", () => {
    const slot = input.events[0];

    test.each([
      ["a list", [], { body: ["Make it an object."] }],
      ["null", null, { body: ["Make it an object."] }],
      ["an empty object", {}, { createdByUserId: 1, title: 1, workerIds: 1 }],
      ["a number as title", { ...input, title: 7 }, { title: ["Make it a string."] }],
      ["an empty title", { ...input, title: "" }, { title: ["The title must not be blank."] }],
      ["a long title", { ...input, title: "x".repeat(201) }, { title: ["Use at most 200 characters."] }],
      ["no worker", { ...input, workerIds: [] }, { workerIds: ["Choose at least one worker."] }],
      ["a worker as a string", { ...input, workerIds: "worker_amal" }, { workerIds: ["Make it an array."] }],
      ["a number as worker", { ...input, workerIds: ["worker_amal", 7] }, { "workerIds[1]": ["Make it a string."] }],
      ["an unknown worker", { ...input, workerIds: ["worker_amal", "unknown"] }, { "workerIds[1]": 1 }],
      ["a creator from another organisation", { ...input, createdByUserId: "user_bo" }, { createdByUserId: 1 }],
      ["an unknown creator", { ...input, createdByUserId: "unknown" }, { createdByUserId: 1 }],
      ["an unknown field", { ...input, titel: "x" }, { titel: 1 }],
      ["an invalid email address", { ...input, notifyEmailAddress: "hana" }, { notifyEmailAddress: 1 }],
      [
        "an event that ends before it starts",
        { ...input, events: [slot, { start: slot?.end, end: slot?.start }] },
        { "events[1].end": ["Choose an end that is after the start."] },
      ],
      [
        "an event that ends when it starts",
        { ...input, events: [{ start: slot?.start, end: slot?.start }] },
        { "events[0].end": 1 },
      ],
      [
        "an event before today",
        { ...input, events: [{ start: "2020-01-01T00:00:00Z", end: slot?.end }] },
        { "events[0].start": [`Choose a start date of today or later (today is ${today} in UTC).`] },
      ],
      [
        "an event without an end",
        { ...input, events: [{ start: slot?.start }] },
        { "events[0].end": ["Add this field; it is required."] },
      ],
      [
        "a date without a zone",
        { ...input, events: [{ ...slot, start: "2099-05-01T16:00:00" }] },
        { "events[0].start": 1 },
      ],
      [
        "a date whose zone is not an offset",
        { ...input, events: [{ ...slot, start: "2099-05-01T16:00:00 CEST" }] },
        { "events[0].start": 1 },
      ],
      [
        "an event with an unknown field",
        { ...input, events: [{ ...slot, note: "x" }] },
        { "events[0].note": ["Remove it, or correct its name: there is no such field."] },
      ],
      ["a blank title", { ...input, title: " \n " }, { title: ["The title must not be blank."] }],
      ["an event that is not an object", { ...input, events: [null] }, { "events[0]": ["Make it an object."] }],
      ["a character that cannot be stored", { ...input, title: "a\0b", details: "\ud800" }, { title: 1, details: 1 }],
    ])(
      "a creation with %s gets 400 with the invalid fields and how to correct them [D-19] [D-30] [D-44] [interface: Overview 1b] [interface: Creation 2] [interface: Errors 3]",
      async (_, body, errors) => {
        const response = await post("/offer", body);
        expect(response.status).toBe(400);
        const problem = response.json<{ errors: Record<string, string[]> }>();
        expect(problem).toMatchObject({
          type: "https://github.com/offers/offers/blob/main/docs/errors.md#invalid_request",
          code: "invalid_request",
        });
        expect(Object.keys(problem.errors).sort()).toEqual(Object.keys(errors).sort());
        for (const [field, remedies] of Object.entries(errors)) {
          expect(problem.errors[field]).toHaveLength(1);
          if (Array.isArray(remedies)) expect(problem.errors[field]).toEqual(remedies);
        }
      },
    );

    test("the problem for an invalid creation lists all validation errors", async () => {
      const response = await post("/offer", {
        title: 7,
        workerIds: ["unknown"],
        createdByUserId: "user_bo",
        events: [{ start: "2099-05-02T00:00:00Z", end: "2099-05-01T00:00:00Z" }, {}],
        extra: true,
      });
      const { errors, detail } = response.json<{ errors: object; detail: string }>();
      expect(Object.keys(errors).sort()).toEqual(
        [
          "title",
          "workerIds[0]",
          "createdByUserId",
          "events[0].end",
          "events[1].start",
          "events[1].end",
          "extra",
        ].sort(),
      );
      expect(detail).toBe("7 fields are not valid; see errors.");
    });
  });
});
