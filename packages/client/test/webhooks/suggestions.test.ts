import { expect, test } from "vitest";
import { createWebhookFixture, second } from "./webhook-fixture.ts";

const dana = {
  name: "Dana Kim",
  emailAddress: "dana.kim@example.com",
  ratings: [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" }],
};
const search = { userEmailAddresses: ["hana@example.com"] };
const errorWithCode = (code: string) => expect.objectContaining({ code });

test("a search is signed, and is not a delivery", async () => {
  const { service, webhooks, respondWith } = await createWebhookFixture();
  respondWith(() => Response.json([dana]));
  expect(await service.suggestContacts({ ...search, filter: "cook" })).toEqual([dana]);
  expect(await service.suggestContacts({ ...search, filter: "" })).toEqual([dana]);
  expect(webhooks).toMatchObject([
    { method: "POST", url: "https://integrator.test/contact-suggestions", body: { ...search, filter: "cook" } },
    { headers: { authorization: expect.stringContaining("signed") }, body: search },
  ]);
  expect(webhooks.some(({ headers }) => "offers-delivery-id" in headers)).toBe(false);
  expect(service.deliveries).toEqual([]);
});

test("null for an optional field and a date without a time are accepted", async () => {
  const { service, respondWith } = await createWebhookFixture();
  const [rating] = dana.ratings;
  respondWith(() =>
    Response.json([{ ...dana, profileImageUrl: null, ratings: [{ ...rating, lastWorked: "2025-11-30" }] }]),
  );
  expect(await service.suggestContacts(search)).toEqual([
    { ...dana, ratings: [{ ...rating, lastWorked: "2025-11-30T00:00:00Z" }] },
  ]);
});

test.each([
  ["no list", {}, "body"],
  ["an item that is not an object", ["Dana"], "[0], [0].name, [0].emailAddress, [0].ratings"],
  ["a name of two lines", [{ ...dana, name: "Dana\nKim" }], "[0].name"],
  ["no address", [{ ...dana, emailAddress: "Dana" }], "[0].emailAddress"],
  ["an image without a URL", [{ ...dana, profileImageUrl: "dana.png" }], "[0].profileImageUrl"],
  ["six points", [{ ...dana, ratings: [{ ...dana.ratings[0], rating: 6 }] }], "[0].ratings[0].rating"],
])("a response with %s is rejected, and the error lists only the field names", async (_, list, fields) => {
  const { service, respondWith } = await createWebhookFixture();
  respondWith(() => Response.json(list));
  const error = await service.suggestContacts(search).catch((error) => error);
  expect(error).toMatchObject({ code: "invalid_suggestions", message: expect.stringContaining(`fields: ${fields}.`) });
});

test.each([
  ["unexpected_status", () => new Response("[]", { status: 201 })],
  ["malformed_json", () => new Response("no")],
  ["response_too_large", () => new Response(" ".repeat(1_048_577))],
  ["connection_lost", () => Promise.reject(new Error("down"))],
])("a search that fails rejects with the code %s", async (expectedCode, respond) => {
  const { service, respondWith } = await createWebhookFixture();
  respondWith(respond);
  await expect(service.suggestContacts(search)).rejects.toEqual(errorWithCode(expectedCode));
});

test("a search times out after five seconds on the test's clock", async () => {
  const { service, respondWith } = await createWebhookFixture();
  respondWith(() => new Promise(() => {}));
  const searchCall = service.suggestContacts(search);
  await new Promise(setImmediate);
  await service.advance(5 * second);
  await expect(searchCall).rejects.toEqual(errorWithCode("timeout"));
});
