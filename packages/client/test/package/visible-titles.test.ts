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

/** Matches characters that are invisible by their Unicode properties, and symbols and letters that look blank. */
const invisiblePattern =
  /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cf}\p{M}\p{Co}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]$/u;
const anyCharacter = fc
  .string({ unit: "binary", minLength: 1, maxLength: 1 })
  .filter((char) => !/[\p{Cs}\p{Cn}\0]/u.test(char));
const invisibleCharacter = fc.oneof(
  anyCharacter.filter((char) => invisiblePattern.test(char)),
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

test("the in-memory service rejects a title without a visible character, and accepts any other title [D-89]", async () => {
  const blankTitle = fc
    .array(invisibleCharacter, { minLength: 1, maxLength: 20 })
    .map((characters) => characters.join(""));
  await fc.assert(
    fc.asyncProperty(blankTitle, fc.constantFrom("a", "厨", "7", "!", "☕"), async (title, visibleCharacter) => {
      expect(await createWithTitle(title)).toBe("bad_request");
      expect(await createWithTitle(title + visibleCharacter + title)).toBe("created");
    }),
    { numRuns: 50 },
  );
});
