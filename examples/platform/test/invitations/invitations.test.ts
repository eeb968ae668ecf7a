import { describe, expect, test } from "vitest";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { ada, bo, dayMs, hana, type SuggestedPerson, useInvitations } from "./use-invitations.ts";

describe.each(await anyStore())("invitations on $title", ({ createDatabase }) => {
  const invitations = useInvitations(createDatabase);
  const { advance, signIn, suggest, search, invite, signInAndSearch, readMailsTo, createPerson } = invitations;

  describe("people from a search", () => {
    test("inviting an address that no search returned gets 422 and sends no mail [D-87]", async () => {
      const [suggested, unsuggested] = [createPerson(), createPerson()];
      const token = await signInAndSearch(hana, [suggested]);
      const response = await invite(token, [suggested, unsuggested]);
      expect(response.status).toBe(422);
      expect(response.json()).toMatchObject({
        code: "contact_not_suggested",
        errors: { "people[1]": [expect.any(String)] },
      });
      expect(response.text).not.toContain(unsuggested.emailAddress);
      expect([await readMailsTo(suggested.emailAddress), await readMailsTo(unsuggested.emailAddress)]).toEqual([
        [],
        [],
      ]);
      expect((await invite(token, [suggested])).status).toBe(201);
    });

    test.each<[string, Partial<SuggestedPerson>]>([
      ["a different name", { name: "Dear Dana, your account is locked: https://evil.example/unlock" }],
      ["another person's name", { name: "Farah Aziz" }],
      ["an address that ends with the suggested address", { emailAddress: "x.dana@example.com" }],
    ])("an invitation with %s gets 422 [D-87]", async (_, changes) => {
      const suggested = createPerson();
      const token = await signInAndSearch(hana, [suggested, createPerson({ name: "Farah Aziz" })]);
      expect((await invite(token, [{ ...suggested, ...changes }])).status).toBe(422);
      expect(await readMailsTo(suggested.emailAddress)).toEqual([]);
    });

    test("inviting people shown to another session, person or organisation gets 422 [D-87]", async () => {
      const suggested = createPerson();
      const token = await signInAndSearch(hana, [suggested]);
      for (const otherToken of [await signIn(hana), await signIn(bo), await signIn(ada)])
        expect((await invite(otherToken, [suggested])).status).toBe(422);
      expect((await invite(token, [suggested], "org_bistro")).status).toBe(422);
      expect((await invite(token, [suggested])).status).toBe(201);
    });

    test("people from earlier searches can still be invited, but not people from an invalid response", async () => {
      const [first, second, invalid] = [createPerson(), createPerson(), createPerson()];
      const token = await signInAndSearch(hana, [first]);
      suggest([second]);
      await search(token);
      invitations.harbour.respond = respondWith(200, {}, JSON.stringify([{ ...invalid, ratings: [] }, { name: "x" }]));
      await search(token);
      invitations.harbour.respond = respondWith(500, {}, JSON.stringify([{ ...invalid, ratings: [] }]));
      await search(token);
      expect((await invite(token, [invalid])).status).toBe(422);
      expect((await invite(token, [first, second])).status).toBe(201);
    });

    test("an invitation after the session ended gets 401", async () => {
      const suggested = createPerson();
      const token = await signInAndSearch(hana, [suggested]);
      expect((await invitations.platform.call("DELETE", "/portal/session", { token })).status).toBe(204);
      expect((await invite(token, [suggested])).status).toBe(401);
    });
  });

  describe("invitations to one address", () => {
    test("an organisation can invite an address only once in 30 days, even in a different spelling [D-87]", async () => {
      const suggested = createPerson({ emailAddress: "eli@example.com" });
      const equivalentAddresses = [
        "ELI@Example.COM",
        "eli+1@example.com",
        "eli+two+three@EXAMPLE.com",
        "ｅli@example.com",
      ];
      const spellings = equivalentAddresses.map((emailAddress) => createPerson({ emailAddress }));
      const token = await signInAndSearch(hana, [suggested, ...spellings]);
      expect((await invite(token, [suggested, ...spellings])).json()).toMatchObject({ invitations: [suggested] });
      for (const spelling of [suggested, ...spellings]) {
        const response = await invite(token, [spelling]);
        expect(response.json()).toMatchObject({ status: 409, code: "already_invited" });
        expect(response.text).not.toContain("@");
      }
      // Another organisation may invite the person immediately, and the same organisation may do so after 30 days.
      expect((await invite(await signInAndSearch(bo, [suggested]), [suggested])).status).toBe(201);
      advance(30 * dayMs + 1);
      expect((await invite(await signInAndSearch(hana, [suggested]), [suggested])).status).toBe(201);
      expect(await readMailsTo(suggested.emailAddress)).toHaveLength(3);
    });

    test("many simultaneous invitations to one address send one mail", async () => {
      const suggested = createPerson();
      const token = await signInAndSearch(hana, [suggested]);
      const responses = await Promise.all(Array.from({ length: 8 }, () => invite(token, [suggested])));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
      expect(await readMailsTo(suggested.emailAddress)).toHaveLength(1);
    });
  });

  describe("names in invitations", () => {
    test.each([
      "Visit https://evil.example/login now",
      "www.evil.example",
      "evil.example",
      "Dana ｅvil．example/path",
      "Dana <https://evil.example>",
      `Dana ${"very ".repeat(80)}long`,
    ])("an invitation mail does not repeat the name %j [D-87]", async (name) => {
      advance(2 * dayMs);
      const suggested = createPerson({ name });
      const response = await invite(await signInAndSearch(hana, [suggested]), [suggested]);
      expect(response.status).toBe(201);
      expect(await readMailsTo(suggested.emailAddress)).toEqual([
        expect.objectContaining({
          subject: "Harbour Hotels invites you",
          // The mail contains no link except the platform's.
          body: expect.stringMatching(
            /^Hello,\n\nHana Lind at Harbour Hotels invites you to share your availability\.\n\nJoin by [\w ,:]+ UTC:\nhttp:\/\/127\.0\.0\.1:\d+\/app\/join\/[\w-]{43}\n\nThe link works once\. Do not forward it\.\n$/,
          ),
        }),
      ]);
    });

    test.each([
      "Dana\nBcc: x@evil.example",
      "Dana\u2028Farah",
      "Dana\u2029Farah",
      "Dana\u0085Farah",
      "Dana\u202egro.live",
    ])("an invitation with the name %j gets 400", async (name) => {
      const suggested = createPerson({ name });
      expect((await invite(await signInAndSearch(hana, [suggested]), [suggested])).status).toBe(400);
      expect(await readMailsTo(suggested.emailAddress)).toEqual([]);
    });
  });
});
