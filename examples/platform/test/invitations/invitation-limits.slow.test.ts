import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform, type PlatformResponse } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { bo, dayMs, hana, useInvitations } from "./use-invitations.ts";

describe.each(await anyStore())("invitations on $title", ({ title, createDatabase }) => {
  const invitations = useInvitations(createDatabase);
  const { now, advance, restart, signIn, suggest, search, invite, signInAndSearch, createPerson } = invitations;

  describe("limit of 200 people in 24 hours", () => {
    const expectTooMany = (response: PlatformResponse): void => {
      expect(response.json()).toMatchObject({ status: 429, code: "too_many_invitations" });
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    };

    test("a person can invite 200 of 4,000 people, even across a restart, and continue a day later [D-87]", {
      timeout: 120_000,
    }, async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 4_000 }, () => createPerson());
      const batches = Array.from({ length: 40 }, (_, index) => everyone.slice(index * 100, index * 100 + 100));
      const token = await signInAndSearch(hana, everyone);
      const responses = await Promise.all(batches.map((people) => invite(token, people)));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
      for (const response of responses.filter(({ status }) => status !== 201)) expectTooMany(response);
      for (const suggested of batches[39] ?? []) expectTooMany(await invite(token, [suggested]));

      await restart();
      const lastPerson = everyone.at(-1) ?? createPerson();
      expectTooMany(await invite(token, [lastPerson]));
      // The limit is per user, so another organisation's user is not affected.
      const otherPerson = createPerson();
      expect((await invite(await signInAndSearch(bo, [otherPerson]), [otherPerson])).status).toBe(201);

      advance(dayMs - 1_000);
      const laterToken = await signInAndSearch(hana, everyone);
      const earlyResponse = await invite(laterToken, [lastPerson]);
      expectTooMany(earlyResponse);
      expect(earlyResponse.headers.get("retry-after")).toBe("1");
      advance(1_000);
      expect((await invite(laterToken, [lastPerson])).status).toBe(201);
    });

    test("invitations on the page are limited too, with Retry-After", async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 201 }, () => createPerson());
      suggest(everyone);
      const client = openPageClient(invitations.platform.address);
      await client.signIn(hana);
      const resultsPage = await searchOnPage(client, ["org_harbour"]);
      expect(resultsPage).toContain(everyone[0]?.emailAddress);
      for (const [from, to, status] of [
        [0, 100, 303],
        [100, 200, 303],
        [200, 201, 429],
      ] as const) {
        const person = everyone.slice(from, to).map((suggested) => JSON.stringify(suggested));
        const response = await client.send("/invitations", { organisationId: "org_harbour", person });
        expect(response.status).toBe(status);
        if (status === 429) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      }
    });

    test("invitations are limited across processes, if the store supports several [D-87]", async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 400 }, () => createPerson());
      const token = await signInAndSearch(hana, everyone);
      const otherProcesses = title === "PGlite" ? [] : [await openPlatform(invitations.database, {}, now)];
      const processes = [invitations.platform, ...otherProcesses];
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, index) => {
          const people = everyone.slice(index * 10, index * 10 + 10);
          const json = { organisationId: "org_harbour", people };
          return processes[index % processes.length]?.call("POST", "/portal/invitations", { token, json });
        }),
      );
      for (const process of otherProcesses) await process.close();
      expect(responses.filter((response) => response?.status === 201)).toHaveLength(20);
      expect(responses.filter((response) => response?.status === 429)).toHaveLength(20);
    });
  });

  test("a session stores only its latest 20,000 search results, which are deleted with the session [D-87]", {
    timeout: 60_000,
  }, async () => {
    const token = await signIn(hana);
    const first = createPerson();
    for (const people of [
      [first],
      Array.from({ length: 10_500 }, () => createPerson()),
      Array.from({ length: 10_500 }, () => createPerson()),
    ]) {
      advance(1);
      suggest(people);
      await search(token);
    }
    expect((await invite(token, [first])).status).toBe(422);
    await invitations.platform.call("DELETE", "/portal/session", { token });
    advance(dayMs);
    await signIn(hana);
    let rowCount = Number.NaN;
    await restart(async () => {
      const store = await openStore({ ...invitations.database.options, onError: () => undefined });
      const rows = store.db.selectFrom("shown_suggestions").select(({ fn }) => fn.countAll<string>().as("count"));
      rowCount = Number((await rows.executeTakeFirstOrThrow()).count);
      await store.close();
    });
    expect(rowCount).toBe(0);
  });
});

/** Searches for people on the page. @returns the page with the results */
async function searchOnPage(client: PageClient, organisationIds: string[]): Promise<string> {
  const { status, text } = await client.send("/invitations/search", { organisationIds });
  expect(status).toBe(200);
  return text;
}
