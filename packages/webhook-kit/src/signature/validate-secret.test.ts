import { expect, test } from "vitest";
import { findSecretProblem, findWeakness } from "./validate-secret.ts";

test.each([
  [undefined, /must be a string/],
  [42, /must be a string/],
  ["", /empty or blank/],
  [" \t\n", /empty or blank/],
  ["\ufeff", /empty or blank/],
  [" secret", /begins or ends with white space/],
  ["secret\r\n", /begins or ends with white space/],
  ["secret\ufeff", /begins or ends with white space/],
  ["sec\u0000ret", /control character or half a character/],
  ["sec\u007fret", /control character or half a character/],
  ["sec\u0085ret", /control character or half a character/],
  ["sec\ud83dret", /control character or half a character/],
])("of %j it says %s", (secret, message) =>
  expect(findSecretProblem(secret)).toEqual({ code: "invalid_secret", message: expect.stringMatching(message) }),
);

test.each(["x", "correct horse battery staple", "Zoë 🔑", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"])(
  "it has nothing against %j",
  (secret) => expect(findSecretProblem(secret)).toBeUndefined(),
);

test("16 characters are enough, 15 are not", () => {
  expect(findWeakness("sixteen-letters!")).toBeUndefined();
  expect(findWeakness("fifteen-letters")).toEqual({
    code: "short_secret",
    message: expect.stringMatching(/fewer than 16 characters.*allowShortSecret/),
  });
});
