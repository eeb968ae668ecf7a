import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPageClient } from "../pages/page-client.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

interface ListedRow {
  id: string | number;
}

describe.each(await anyStore())("the lists as JSON on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let receiver: Receiver;
  /** The tokens by the first segment of the paths that they are for. */
  const tokens: Record<string, string> = {};
  let rowCount = 0;

  const addRowToEachList = async (): Promise<void> => {
    rowCount += 1;
    const json = { createdByUserId: "user_hana", title: `No. ${rowCount}`, workerIds: ["worker_amal"] };
    const offer = await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    const { id } = offer.json<{ id: string }>();
    const amal = { token: tokens["worker-app"] ?? "" };
    expect((await platform.call("POST", `/worker-app/offers/${id}/apply`, amal)).status).toBe(204);
    const people = [{ name: "Guest", emailAddress: `guest${rowCount}@example.com` }];
    await eventually("every row is written", async () => {
      const { notifications } = (await platform.call("GET", "/worker-app/notifications?limit=1", amal)).json<{
        notifications: { offerId: string }[];
      }>();
      return notifications.some(({ offerId }) => offerId === id);
    });
    const invitation = { token: tokens.portal ?? "", json: { organisationId: "org_harbour", people } };
    expect((await platform.call("POST", "/portal/invitations", invitation)).status).toBe(201);
  };

  beforeAll(async () => {
    receiver = await openReceiver((request, response) => {
      const people = Array.from({ length: 50 }, (_, number) => ({
        name: "Guest",
        emailAddress: `guest${number}@example.com`,
        ratings: [],
      }));
      const body = request.url === "/contact-suggestions" ? JSON.stringify(people) : "";
      respondWith(200, { "content-type": "application/json" }, body)(request, response);
    });
    tokens.portal = await platform.signInPerson("hana@harbour-hotels.example");
    tokens["worker-app"] = await platform.signInWorker("worker_amal");
    const profile = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: true };
    await platform.call("PUT", "/portal/profile", { token: tokens.portal, json: profile });
    const json = { organisationIds: ["org_harbour"] };
    await platform.call("POST", "/portal/suggestions/search", { token: tokens.portal, json });
    for (let number = 0; number < 5; number += 1) await addRowToEachList();
  });
  afterAll(async () => {
    await receiver.close();
  });

  const lists = [
    ["/portal/offers", "offers"],
    ["/portal/deliveries", "deliveries"],
    ["/portal/invitations", "invitations"],
    ["/portal/mailbox", "mails"],
    ["/worker-app/notifications", "notifications"],
  ] as const;
  const read = (path: string, query = "") =>
    platform.call("GET", path + query, { token: tokens[path.split("/")[1] ?? ""] ?? "" });
  const readPage = async (path: string, listName: string, query: string) => {
    const response = await read(path, query);
    expect(response.status).toBe(200);
    const { [listName]: rows, next, ...otherFields } = response.json<Record<string, unknown>>();
    expect(otherFields).toEqual({});
    return { ids: (rows as ListedRow[]).map(({ id }) => id), next: next as string | null };
  };

  test.each(lists)(
    "%s returns pages, newest first, with each item once even if more are added meanwhile [D-92]",
    async (path, name) => {
      const listed = await readPage(path, name, "");
      expect(listed.next).toBeNull();
      expect(listed.ids.length).toBeGreaterThanOrEqual(5);
      const ids: (string | number)[] = [];
      let query = "?limit=2";
      for (let next: string | null = ""; next !== null; ) {
        const page = await readPage(path, name, query);
        expect(page.ids.length).toBeLessThanOrEqual(2);
        ids.push(...page.ids);
        next = page.next;
        if (ids.length === 2) await addRowToEachList();
        query = `?limit=2&before=${next}`;
      }
      expect(ids).toEqual(listed.ids);
      // The last page has no cursor, even if it is full.
      const all = await readPage(path, name, "?limit=100");
      expect(all.next).toBeNull();
      expect((await readPage(path, name, `?limit=${all.ids.length}`)).next).toBeNull();
      expect((await readPage(path, name, `?limit=${all.ids.length - 1}`)).next).toEqual(expect.any(String));
    },
  );

  test.each(lists)(
    "%s rejects an invalid limit or cursor with 400 and names the parameter [D-92]",
    async (path, name) => {
      for (const limit of ["0", "101", "-1", "1.5", "1e1", "x", "", "1&limit=2", "99999999999999999999"])
        expect((await read(path, `?limit=${limit}`)).json()).toMatchObject({
          status: 400,
          code: "invalid_request",
          errors: { limit: [expect.stringContaining("1 to 100")] },
        });
      const { next } = await readPage(path, name, "?limit=1");
      const invalidCursors = [
        "",
        "x",
        "1",
        "%00",
        "%ED%A0%80",
        "null",
        `${next}x`,
        `${next}&before=${next}`,
        "W10",
        "bnVsbA",
      ];
      for (const values of [
        ["offers"],
        ["offers", "1"],
        ["offers", "-1", "x"],
        ["offers", "9".repeat(30), "x"],
        ["x", "1", "1"],
      ])
        invalidCursors.push(Buffer.from(JSON.stringify(values)).toString("base64url"));
      for (const id of ["'", "\u0000", "x".repeat(600), "1e9", { a: 1 }, null])
        invalidCursors.push(Buffer.from(JSON.stringify([name, "1", id])).toString("base64url"));
      for (const before of invalidCursors) {
        const response = await read(path, `?before=${before}`);
        // If ids are strings, any string is a valid cursor.
        if (response.status === 200) expect(response.json()).toEqual({ [name]: [], next: null });
        else
          expect(response.json()).toMatchObject({ status: 400, errors: { before: [expect.stringContaining("next")] } });
      }
      for (const [otherPath, otherName] of lists.filter(([listPath]) => listPath !== path)) {
        const cursor = (await readPage(otherPath, otherName, "?limit=1")).next;
        expect((await read(path, `?before=${cursor}`)).json()).toMatchObject({
          status: 400,
          errors: { before: [expect.any(String)] },
        });
      }
    },
  );

  test("a cursor from another organisation's list reveals none of its rows", async () => {
    const boToken = await platform.signInPerson("bo@bistro-group.example");
    for (const [path, name] of lists.filter(
      ([path]) => path !== "/worker-app/notifications" && path !== "/portal/mailbox",
    )) {
      const { next } = await readPage(path, name, "?limit=1");
      const response = await platform.call("GET", `${path}?before=${next}`, { token: boToken });
      expect(response.json()).toEqual({ [name]: [], next: null });
    }
  });

  test("the notifications menu links to older notifications, and shows each once [D-92]", {
    timeout: 120_000,
  }, async () => {
    for (let number = 0; number < 51; number += 1) {
      const json = { createdByUserId: "user_hana", title: `Menu ${number}`, workerIds: ["worker_dana"] };
      await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    }
    const dana = openPageClient(platform.address, "/app/sign-in");
    await dana.signIn("worker_dana");
    const token = await platform.signInWorker("worker_dana");
    await eventually("all notifications are written", async () => {
      const response = await platform.call("GET", "/worker-app/notifications", { token });
      return response.json<{ notifications: unknown[] }>().notifications.length === 51;
    });
    const titles: string[] = [];
    let pageCount = 0;
    let path: string | undefined = "/app";
    while (path !== undefined) {
      const { status, text } = await dana.get(path);
      expect(status).toBe(200);
      pageCount += 1;
      titles.push(...[...text.matchAll(/<strong>(Menu \d+)/g)].map(([, title = ""]) => title));
      path = /href="([^"]+)">Older<\/a>/.exec(text)?.[1]?.replaceAll("&amp;", "&");
    }
    expect(pageCount).toBeGreaterThan(1);
    expect(titles).toHaveLength(51);
    expect(new Set(titles).size).toBe(51);
    for (const before of ["%00", "%ED%A0%80", "-1", "nowhere"])
      expect((await dana.get(`/app?before=${before}`)).status).toBe(200);
  });
});
