import { expect, test, vi } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { post } from "../support/mount.ts";
import { secret } from "../support/serve.ts";

test.each<[string, unknown, string]>([
  ["nothing", undefined, "suggestContacts returned an invalid list. body: Must be of type array."],
  [
    "a suggestion without ratings",
    [{ name: "Dana", emailAddress: "d@e.example" }],
    "suggestContacts returned an invalid list. [0].ratings: Must be of type array.",
  ],
  [
    "a suggestion with an invalid date",
    [
      {
        name: "Dana",
        emailAddress: "d@e.example",
        ratings: [{ rating: 5, ratingProvider: "A", lastWorked: "last week" }],
      },
    ],
    "suggestContacts returned an invalid list. [0].ratings[0].lastWorked: Must be a date-time with a time zone, such as 2099-05-01T16:00:00Z.",
  ],
  [
    "seven people without addresses",
    Array.from({ length: 7 }, () => ({ name: "Dana", ratings: [] })),
    "suggestContacts returned an invalid list. [0].emailAddress: Must be of type string. [1].emailAddress: Must be of type string. [2].emailAddress: Must be of type string. [3].emailAddress: Must be of type string. [4].emailAddress: Must be of type string. And 2 more.",
  ],
])("when suggestContacts returns %s, the error lists the invalid fields", async (_, list, message) => {
  const onError = vi.fn();
  const handler = webhookHandler({ secret, onError, suggestContacts: () => list as never });
  await handler(new Request("http://127.0.0.1/contact-suggestions", post({ userEmailAddresses: [] })));
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: "invalid_handler_result", message })]]);
});
