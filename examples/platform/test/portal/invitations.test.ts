import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { secret } from "../contract/contract-stage.ts";
import { openVisitor, type PageVisitor } from "../pages/page-visitor.ts";
import { type Answer, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";

interface Suggested {
  name: string;
  emailAddress: string;
}

const dayMs = 24 * 60 * 60 * 1_000;
const hana = "hana@harbour-hotels.example";
const bo = "bo@bistro-group.example";
const ada = "ada@crew-agency.example";

describe.each(await anyStore())("invitations on $title", ({ title, createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let harbour: Receiver;
  let bistro: Receiver;
  let clockMs = Date.now();
  const now = (): Date => new Date(clockMs);

  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place, {}, now);
    [harbour, bistro] = [await openReceiver(answerWith(200, {}, "[]")), await openReceiver(answerWith(200, {}, "[]"))];
    for (const [who, { baseAddress }] of [
      [hana, harbour],
      [bo, bistro],
    ] as const) {
      const json = { baseAddress, secret, suggestsContacts: true };
      expect((await platform.call("PUT", "/portal/profile", { token: await signIn(who), json })).status).toBe(200);
    }
  });
  afterAll(async () => {
    await platform.close();
    await Promise.all([harbour.close(), bistro.close()]);
    await place.remove();
  });

  /** A session of its own each time. */
  async function signIn(emailAddress: string): Promise<string> {
    const json = { emailAddress, password: "demo-password" };
    return (await platform.call("POST", "/portal/session", { json })).json<{ token: string }>().token;
  }
  const suggest = (people: readonly Suggested[], on = harbour): void => {
    on.answer = answerWith(200, {}, JSON.stringify(people.map((one) => ({ ...one, ratings: [] }))));
  };
  const search = (token: string, organisationIds: unknown = ["org_harbour"]): Promise<Answer> =>
    platform.call("POST", "/portal/suggestions/search", { token, json: { organisationIds } });
  const invite = (token: string, people: readonly Suggested[], organisationId = "org_harbour"): Promise<Answer> =>
    platform.call("POST", "/portal/invitations", { token, json: { organisationId, people } });
  /** Shows them to a new session of this person. */
  async function shownTo(who: string, people: readonly Suggested[]): Promise<string> {
    const token = await signIn(who);
    suggest(people);
    expect((await search(token)).status).toBe(200);
    return token;
  }
  const mailsTo = async (emailAddress: string): Promise<{ subject: string; body: string }[]> => {
    const { mails } = (await platform.call("GET", "/portal/mailbox", { token: await signIn(hana) })).json<{
      mails: { to: string; subject: string; body: string }[];
    }>();
    return mails.filter(({ to }) => to === emailAddress);
  };
  let count = 0;
  const person = (changes: Partial<Suggested> = {}): Suggested => {
    count += 1;
    return { name: "Dana Kim", emailAddress: `dana${count}@example.com`, ...changes };
  };

  describe("go to those alone whom a search showed", () => {
    test("an address that no search showed is 422 and gets no mail", async () => {
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

    test.each<[string, Partial<Suggested>]>([
      ["another name", { name: "Dear Dana, your account is locked: https://evil.example/unlock" }],
      ["the name of another", { name: "Farah Aziz" }],
      ["an address that only contains it", { emailAddress: "x.dana@example.com" }],
    ])("with %s they are others", async (_, changes) => {
      const shown = person();
      const token = await shownTo(hana, [shown, person({ name: "Farah Aziz" })]);
      expect((await invite(token, [{ ...shown, ...changes }])).status).toBe(422);
      expect(await mailsTo(shown.emailAddress)).toEqual([]);
    });

    test("what another session, person or organisation was shown does not count", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      for (const other of [await signIn(hana), await signIn(bo), await signIn(ada)])
        expect((await invite(other, [shown])).status).toBe(422);
      expect((await invite(token, [shown], "org_bistro")).status).toBe(422);
      expect((await invite(token, [shown])).status).toBe(201);
    });

    test("a later search leaves those of an earlier one, and an invalid list shows none of its people", async () => {
      const [first, second, refused] = [person(), person(), person()];
      const token = await shownTo(hana, [first]);
      suggest([second]);
      await search(token);
      harbour.answer = answerWith(200, {}, JSON.stringify([{ ...refused, ratings: [] }, { name: "x" }]));
      await search(token);
      harbour.answer = answerWith(500, {}, JSON.stringify([{ ...refused, ratings: [] }]));
      await search(token);
      expect((await invite(token, [refused])).status).toBe(422);
      expect((await invite(token, [first, second])).status).toBe(201);
    });

    test("what a session was shown is forgotten with it", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      expect((await platform.call("DELETE", "/portal/session", { token })).status).toBe(204);
      expect((await invite(token, [shown])).status).toBe(401);
    });
  });

  describe("go to an address once", () => {
    test("within 30 days from an organisation, however the address is written", async () => {
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
      // Another organisation has not invited yet, and after a month it may be done again.
      expect((await invite(await shownTo(bo, [shown]), [shown])).status).toBe(201);
      clockMs += 30 * dayMs + 1;
      expect((await invite(await shownTo(hana, [shown]), [shown])).status).toBe(201);
      expect(await mailsTo(shown.emailAddress)).toHaveLength(3);
    });

    test("of many requests at once for the same address one sends a mail", async () => {
      const shown = person();
      const token = await shownTo(hana, [shown]);
      const responses = await Promise.all(Array.from({ length: 8 }, () => invite(token, [shown])));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)]);
      expect(await mailsTo(shown.emailAddress)).toHaveLength(1);
    });
  });

  describe("are limited to 200 in 24 hours by one person", () => {
    const refused = (response: Answer): void => {
      expect(response.json()).toMatchObject({ status: 429, code: "too_many_invitations" });
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    };

    test("4,000 of them: 200 are sent, also over a restart, and the next ones a day later", {
      timeout: 120_000,
    }, async () => {
      clockMs += 2 * dayMs;
      const everybody = Array.from({ length: 4_000 }, () => person());
      const parts = Array.from({ length: 40 }, (_, part) => everybody.slice(part * 100, part * 100 + 100));
      const token = await shownTo(hana, everybody);
      const responses = await Promise.all(parts.map((part) => invite(token, part)));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
      for (const response of responses.filter(({ status }) => status !== 201)) refused(response);
      for (const one of parts[39] ?? []) refused(await invite(token, [one]));

      await platform.close();
      platform = await openPlatform(place, {}, now);
      const last = everybody.at(-1) ?? person();
      refused(await invite(token, [last]));
      // Another person of the organisation is not limited by it: there is one each. Neither is another organisation's.
      const theirs = person();
      expect((await invite(await shownTo(bo, [theirs]), [theirs])).status).toBe(201);

      clockMs += dayMs - 1_000;
      const retried = await shownTo(hana, everybody);
      const early = await invite(retried, [last]);
      refused(early);
      expect(early.headers.get("retry-after")).toBe("1");
      clockMs += 1_000;
      expect((await invite(retried, [last])).status).toBe(201);
    });

    test("on the page as well, with Retry-After", async () => {
      clockMs += 2 * dayMs;
      const everybody = Array.from({ length: 201 }, () => person());
      suggest(everybody);
      const visitor = openVisitor(platform.address);
      await visitor.signIn(hana);
      const found = await searchOnPage(visitor, ["org_harbour"]);
      expect(found).toContain(everybody[0]?.emailAddress);
      for (const [from, to, status] of [
        [0, 100, 303],
        [100, 200, 303],
        [200, 201, 429],
      ] as const) {
        const picked = everybody.slice(from, to).map((one) => JSON.stringify(one));
        const response = await visitor.send("/invitations", { organisationId: "org_harbour", person: picked });
        expect(response.status).toBe(status);
        if (status === 429) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      }
    });

    test("over several processes, where the store takes them", async () => {
      clockMs += 2 * dayMs;
      const everybody = Array.from({ length: 400 }, () => person());
      const token = await shownTo(hana, everybody);
      const others = title === "PGlite" ? [] : [await openPlatform(place, {}, now)];
      const processes = [platform, ...others];
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, part) => {
          const people = everybody.slice(part * 10, part * 10 + 10);
          const json = { organisationId: "org_harbour", people };
          return processes[part % processes.length]?.call("POST", "/portal/invitations", { token, json });
        }),
      );
      for (const other of others) await other.close();
      expect(responses.filter((response) => response?.status === 201)).toHaveLength(20);
      expect(responses.filter((response) => response?.status === 429)).toHaveLength(20);
    });
  });

  describe("carry no link and no further line", () => {
    test.each([
      "Visit https://evil.example/login now",
      "www.evil.example",
      "evil.example",
      "Dana ｅvil．example/path",
      "Dana <https://evil.example>",
      `Dana ${"very ".repeat(80)}long`,
    ])("as the name %j", async (name) => {
      clockMs += 2 * dayMs;
      const shown = person({ name });
      const response = await invite(await shownTo(hana, [shown]), [shown]);
      expect(response.status).toBe(201);
      expect(await mailsTo(shown.emailAddress)).toEqual([
        expect.objectContaining({
          subject: "Harbour Hotels invites you",
          body: "Hello,\n\nHana Lind of Harbour Hotels invites you to share your availability.\n",
        }),
      ]);
    });

    test.each([
      "Dana\nBcc: x@evil.example",
      "Dana\u2028Farah",
      "Dana\u2029Farah",
      "Dana\u0085Farah",
      "Dana\u202egro.live",
    ])("nor is a person shown as %j", async (name) => {
      const shown = person({ name });
      expect((await invite(await shownTo(hana, [shown]), [shown])).status).toBe(400);
      expect(await mailsTo(shown.emailAddress)).toEqual([]);
    });
  });

  describe("a search names the organisations it asks", () => {
    test("no other one is sent the person's addresses", async () => {
      const token = await signIn(hana);
      suggest([]);
      suggest([], bistro);
      const before = bistro.requests.length;
      expect((await search(token, ["org_harbour"])).json<{ results: object[] }>().results).toHaveLength(1);
      expect(bistro.requests).toHaveLength(before);
      expect((await search(token, ["org_bistro", "org_harbour", "org_bistro"])).json()).toMatchObject({
        results: [{ organisation: { id: "org_bistro" } }, { organisation: { id: "org_harbour" } }],
      });
      expect(bistro.requests).toHaveLength(before + 1);
    });

    test.each([null, [], "org_harbour", [""], [7], Array(1_001).fill("org_harbour")])(
      "without any, as with %j, it is 400 and asks none",
      async (organisationIds) => {
        const before = [harbour.requests.length, bistro.requests.length];
        const token = await signIn(hana);
        const without = await platform.call("POST", "/portal/suggestions/search", { token, json: {} });
        for (const response of [await search(token, organisationIds), without])
          expect(response.json()).toMatchObject({ status: 400, code: "invalid_request" });
        expect([harbour.requests.length, bistro.requests.length]).toEqual(before);
      },
    );

    test("one that is unknown or implements none makes it 422, which names it, and asks none", async () => {
      const before = harbour.requests.length;
      const response = await search(await signIn(hana), ["org_harbour", "org_crew", "org_nowhere"]);
      expect(response.json()).toMatchObject({
        ...{ status: 422, code: "organisation_not_suggesting" },
        errors: { "organisationIds[1]": [expect.any(String)], "organisationIds[2]": [expect.any(String)] },
      });
      expect(harbour.requests).toHaveLength(before);
    });

    test("those there are to choose from come with the person's own first", async () => {
      const choices = async (who: string) =>
        (await platform.call("GET", "/portal/suggestions/organisations", { token: await signIn(who) })).json();
      const [bistro, harbour] = [
        { id: "org_bistro", name: "Bistro Group" },
        { id: "org_harbour", name: "Harbour Hotels" },
      ];
      expect(await choices(hana)).toEqual({
        organisations: [
          { ...harbour, isOwn: true },
          { ...bistro, isOwn: false },
        ],
      });
      expect(await choices(bo)).toEqual({
        organisations: [
          { ...bistro, isOwn: true },
          { ...harbour, isOwn: false },
        ],
      });
      expect(await choices(ada)).toEqual({
        organisations: [
          { ...bistro, isOwn: false },
          { ...harbour, isOwn: false },
        ],
      });
    });
  });

  test("what searches showed goes with its session, and the latest 20,000 are kept", { timeout: 60_000 }, async () => {
    const token = await signIn(hana);
    const first = person();
    for (const people of [
      [first],
      Array.from({ length: 10_500 }, () => person()),
      Array.from({ length: 10_500 }, () => person()),
    ]) {
      clockMs += 1;
      suggest(people);
      await search(token);
    }
    expect((await invite(token, [first])).status).toBe(422);
    await platform.call("DELETE", "/portal/session", { token });
    clockMs += dayMs;
    await signIn(hana);
    await platform.close();
    const store = await openStore({ ...place.options, onError: () => undefined });
    const { kept } = await store.db
      .selectFrom("shown_suggestions")
      .select(({ fn }) => fn.countAll<string>().as("kept"))
      .executeTakeFirstOrThrow();
    await store.close();
    expect(Number(kept)).toBe(0);
    platform = await openPlatform(place, {}, now);
  });
});

/** @returns the page of what was found */
async function searchOnPage(visitor: PageVisitor, organisationIds: string[]): Promise<string> {
  const { status, text } = await visitor.send("/invitations/search", { organisationIds });
  expect(status).toBe(200);
  return text;
}
