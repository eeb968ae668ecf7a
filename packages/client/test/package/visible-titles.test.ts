import { expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { OffersClient } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";

const service = createTestService();
const offers = new OffersClient(service);

const createWithTitle = (title: string): Promise<string> =>
  offers.createOffer({ createdByUserId: "user_hana", title, workerIds: ["worker_amal"] }).then(
    () => "created",
    ({ code }) => String(code),
  );

/** Characters that are invisible by their Unicode properties, and those that look blank although they are symbols or letters. */
const invisible =
  /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cf}\p{M}\p{Co}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]$/u;
const character = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((char) => !/[\p{Cs}\p{Cn}\0]/u.test(char));
const filler = fc.oneof(
  character.filter((char) => invisible.test(char)),
  fc.constantFrom(
    "\u200b",
    "\u2800",
    "\u202e",
    "\u00ad",
    "\u3164",
    "\u115f",
    "\u1160",
    "\uffa0",
    "\u180e",
    "\ufe0f",
    " ",
    "\n",
  ),
  fc.integer({ min: 0xe0000, max: 0xe0fff }).map((code) => String.fromCodePoint(code)),
);

test("the service in memory rejects a title of invisible characters, and accepts any other [D-89]", async () => {
  const blank = fc.array(filler, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(blank, fc.constantFrom("a", "厨", "7", "!", "☕"), async (text, visible) => {
      expect(await createWithTitle(text)).toBe("bad_request");
      expect(await createWithTitle(text + visible + text)).toBe("created");
    }),
    { numRuns: 50 },
  );
});
