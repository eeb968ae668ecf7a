import { describe, expect, test } from "vitest";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { ada, bo, dayMs, hana, type SuggestedPerson, useInvitations } from "./use-invitations.ts";

describe.each(await anyStore())("invitations on $title", ({ createDatabase }) => {
  const invitations = useInvitations(createDatabase);
  const { advance, signIn, suggest, search, invite, shownTo, mailsTo, person } = invitations;

  describe("to people from a search", () => {
    test("get 422 for an address that no search returned, and send no mail [D-87]", async () => {
      const [shown, stranger] = [person(), person()];
      const token = await shownTo(hana, [shown]);
      const response = await invite(token, [shown, stranger]);
      expect(response.status).toBe(422);
      expect(response.json()).toMatchObject({
        code: "contact_not_suggested",
        errors: { "people[1]": [expect.any(String)] },
      });
      expect(response.text).not.toContain(stranger.emailAddress);
      expect([await mailsTo(shown.emailAddress), await mailsTo(stranger.emailAddress)]).toEqual([[], []]);
      expect((await invite(token, [shown])).status).toBe(201);
    });

    test.each<[string, Partial<SuggestedPerson>]>([
      ["another name", { name: "Dear Dana, your account is locked: https://evil.example/unlock" }],
      ["another person's name", { name: "Farah Aziz" }],
      ["an address that contains theirs", { emailAddress: "x.dana@example.com" }],
    ])("get 422 for %s [D-87]", async (_, changes) => {
      const shown = person();
      const token = await shownTo(hana, [shown, person({ name: "Farah Aziz" })]);
      expect((await invite(token, [{ ...shown, ...changes }])).status).toBe(422);
      expect(await mailsTo(shown.emailAddress)).toEqual([]);
    });

    test("get 422 for people shown to another session, person or organisation [D-87]", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      for (const other of [await signIn(hana), await signIn(bo), await signIn(ada)])
        expect((await invite(other, [shown])).status).toBe(422);
      expect((await invite(token, [shown], "org_bistro")).status).toBe(422);
      expect((await invite(token, [shown])).status).toBe(201);
    });

    test("stay valid after a later search, and an invalid list shows nobody", async () => {
      const [first, second, refused] = [person(), person(), person()];
      const token = await shownTo(hana, [first]);
      suggest([second]);
      await search(token);
      invitations.harbour.respond = respondWith(200, {}, JSON.stringify([{ ...refused, ratings: [] }, { name: "x" }]));
      await search(token);
      invitations.harbour.respond = respondWith(500, {}, JSON.stringify([{ ...refused, ratings: [] }]));
      await search(token);
      expect((await invite(token, [refused])).status).toBe(422);
      expect((await invite(token, [first, second])).status).toBe(201);
    });

    test("are rejected after the session ends", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      expect((await invitations.platform.call("DELETE", "/portal/session", { token })).status).toBe(204);
      expect((await invite(token, [shown])).status).toBe(401);
    });
  });

  describe("to one address", () => {
    test("are sent once in 30 days by an organisation, however the address is written [D-87]", async () => {
      const shown = person({ emailAddress: "eli@example.com" });
      const same = ["ELI@Example.COM", "eli+1@example.com", "eli+two+three@EXAMPLE.com", "ｅli@example.com"];
      const spellings = same.map((emailAddress) => person({ emailAddress }));
      const token = await shownTo(hana, [shown, ...spellings]);
      expect((await invite(token, [shown, ...spellings])).json()).toMatchObject({ invitations: [shown] });
      for (const again of [shown, ...spellings]) {
        const response = await invite(token, [again]);
        expect(response.json()).toMatchObject({ status: 409, code: "already_invited" });
        expect(response.text).not.toContain("@");
      }
      // Another organisation may invite the person, and so may this one after 30 days.
      expect((await invite(await shownTo(bo, [shown]), [shown])).status).toBe(201);
      advance(30 * dayMs + 1);
      expect((await invite(await shownTo(hana, [shown]), [shown])).status).toBe(201);
      expect(await mailsTo(shown.emailAddress)).toHaveLength(3);
    });

    test("send one mail for many simultaneous requests", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      const responses = await Promise.all(Array.from({ length: 8 }, () => invite(token, [shown])));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
      expect(await mailsTo(shown.emailAddress)).toHaveLength(1);
    });
  });

  describe("without links or extra lines", () => {
    test.each([
      "Visit https://evil.example/login now",
      "www.evil.example",
      "evil.example",
      "Dana ｅvil．example/path",
      "Dana <https://evil.example>",
      `Dana ${"very ".repeat(80)}long`,
    ])("send no link for the name %j [D-87]", async (name) => {
      advance(2 * dayMs);
      const shown = person({ name });
      const response = await invite(await shownTo(hana, [shown]), [shown]);
      expect(response.status).toBe(201);
      expect(await mailsTo(shown.emailAddress)).toEqual([
        expect.objectContaining({
          subject: "Harbour Hotels invites you",
          // The only link is the platform's.
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
    ])("get 400 for the name %j", async (name) => {
      const shown = person({ name });
      expect((await invite(await shownTo(hana, [shown]), [shown])).status).toBe(400);
      expect(await mailsTo(shown.emailAddress)).toEqual([]);
    });
  });
});
