import { describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform, type PlatformResponse } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { bo, dayMs, hana, useInvitations } from "./use-invitations.ts";

describe.each(await anyStore())("invitations on $title", ({ title, createDatabase }) => {
  const invitations = useInvitations(createDatabase);
  const { now, advance, restart, signIn, suggest, search, invite, shownTo, person } = invitations;

  describe("to 200 people in 24 hours", () => {
    const refused = (response: PlatformResponse): void => {
      expect(response.json()).toMatchObject({ status: 429, code: "too_many_invitations" });
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    };

    test("stop after 200 of 4,000, even across a restart, and continue a day later [D-87]", {
      timeout: 120_000,
    }, async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 4_000 }, () => person());
      const parts = Array.from({ length: 40 }, (_, part) => everyone.slice(part * 100, part * 100 + 100));
      const token = await shownTo(hana, everyone);
      const responses = await Promise.all(parts.map((part) => invite(token, part)));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
      for (const response of responses.filter(({ status }) => status !== 201)) refused(response);
      for (const one of parts[39] ?? []) refused(await invite(token, [one]));

      await restart();
      const last = everyone.at(-1) ?? person();
      refused(await invite(token, [last]));
      // The limit is per user, so another organisation's user is not affected.
      const theirs = person();
      expect((await invite(await shownTo(bo, [theirs]), [theirs])).status).toBe(201);

      advance(dayMs - 1_000);
      const retried = await shownTo(hana, everyone);
      const early = await invite(retried, [last]);
      refused(early);
      expect(early.headers.get("retry-after")).toBe("1");
      advance(1_000);
      expect((await invite(retried, [last])).status).toBe(201);
    });

    test("are limited on the page too, with Retry-After", async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 201 }, () => person());
      suggest(everyone);
      const client = openPageClient(invitations.platform.address);
      await client.signIn(hana);
      const found = await searchOnPage(client, ["org_harbour"]);
      expect(found).toContain(everyone[0]?.emailAddress);
      for (const [from, to, status] of [
        [0, 100, 303],
        [100, 200, 303],
        [200, 201, 429],
      ] as const) {
        const picked = everyone.slice(from, to).map((one) => JSON.stringify(one));
        const response = await client.send("/invitations", { organisationId: "org_harbour", person: picked });
        expect(response.status).toBe(status);
        if (status === 429) expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      }
    });

    test("are limited across processes, where the store allows several [D-87]", async () => {
      advance(2 * dayMs);
      const everyone = Array.from({ length: 400 }, () => person());
      const token = await shownTo(hana, everyone);
      const others = title === "PGlite" ? [] : [await openPlatform(invitations.database, {}, now)];
      const processes = [invitations.platform, ...others];
      const responses = await Promise.all(
        Array.from({ length: 40 }, (_, part) => {
          const people = everyone.slice(part * 10, part * 10 + 10);
          const json = { organisationId: "org_harbour", people };
          return processes[part % processes.length]?.call("POST", "/portal/invitations", { token, json });
        }),
      );
      for (const other of others) await other.close();
      expect(responses.filter((response) => response?.status === 201)).toHaveLength(20);
      expect(responses.filter((response) => response?.status === 429)).toHaveLength(20);
    });
  });

  test("a session's search results are deleted with it, and the latest 20,000 are kept [D-87]", {
    timeout: 60_000,
  }, async () => {
    const token = await signIn(hana);
    const first = person();
    for (const people of [
      [first],
      Array.from({ length: 10_500 }, () => person()),
      Array.from({ length: 10_500 }, () => person()),
    ]) {
      advance(1);
      suggest(people);
      await search(token);
    }
    expect((await invite(token, [first])).status).toBe(422);
    await invitations.platform.call("DELETE", "/portal/session", { token });
    advance(dayMs);
    await signIn(hana);
    let kept = Number.NaN;
    await restart(async () => {
      const store = await openStore({ ...invitations.database.options, onError: () => undefined });
      const rows = store.db.selectFrom("shown_suggestions").select(({ fn }) => fn.countAll<string>().as("count"));
      kept = Number((await rows.executeTakeFirstOrThrow()).count);
      await store.close();
    });
    expect(kept).toBe(0);
  });
});

/** Searches. @returns the page of results */
async function searchOnPage(client: PageClient, organisationIds: string[]): Promise<string> {
  const { status, text } = await client.send("/invitations/search", { organisationIds });
  expect(status).toBe(200);
  return text;
}
