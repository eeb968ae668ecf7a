import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createPersonLimits } from "../../src/accounts/rate-limits.ts";
import { addContact } from "../../src/routes/worker-app/contacts.ts";
import { listMountedRoutes, usesToken } from "../pages/mounted-routes.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { addOrganisation, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const [store] = await anyStore();

describe("a signed-in person's requests", () => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let hana: PageClient;
  let amal: PageClient;
  let personToken = "";
  let workerToken = "";
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    database = await store.createDatabase();
    platform = await openPlatform(database, { personRateLimit: { count: 40, seconds: 60 } }, () => new Date());
    personToken = await platform.signInPerson("hana@harbour-hotels.example");
    workerToken = await platform.signInWorker("worker_amal");
    hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    amal = openPageClient(platform.address, "/app/sign-in");
    await amal.signIn("worker_amal");
    // Checking a password is slow on purpose.
  }, 180_000);
  afterAll(async () => {
    await platform.close();
    await database.remove();
    vi.useRealTimers();
  });
  // Start a new window for each test.
  beforeEach(() => void vi.setSystemTime(Date.now() + 120_000));

  const get = (path: string, token: string) => platform.call("GET", path, { token });
  /** Sends requests until the limit is reached. */
  const exhaustLimit = async (path: string, token: string): Promise<void> => {
    const responses = await Promise.all(Array.from({ length: 40 }, () => get(path, token)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  };

  test.each(
    listMountedRoutes().filter((route) => usesToken(route) && route.path !== "/worker-app/notifications/stream"),
  )("a signed-in person's requests are limited: $method $path [D-91]", async ({ method, path }) => {
    // Requests with an API key have a separate limit.
    if (/^\/(offer|events)/.test(path) || /\/sessions?$/.test(path)) return;
    const token = path.startsWith("/portal") ? personToken : workerToken;
    const call = () => platform.call(method, path.replace(":id", "none"), { token });
    const responses = await Promise.all(Array.from({ length: method === "GET" ? 40 : 4 }, call));
    expect(responses.map(({ status }) => status)).not.toContain(429);
    expect(await call()).toMatchObject({ status: 429 });
  });

  test("a person's requests above the limit are rejected with Retry-After, and accepted after that time", async () => {
    await exhaustLimit("/portal/profile", personToken);
    vi.setSystemTime(Date.now() + 20_000);
    const rejected = await get("/portal/profile", personToken);
    expect(rejected.status).toBe(429);
    expect(rejected.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(rejected.headers.get("retry-after")).toBe("40");
    expect(rejected.json()).toMatchObject({ code: "rate_limited", detail: expect.stringContaining("in 40 seconds") });
    expect(rejected.text).not.toContain("hana");
    vi.setSystemTime(Date.now() + 40_000);
    expect((await get("/portal/profile", personToken)).status).toBe(200);
  });

  test("requests in every session, on pages and as JSON, count towards one person's limit, but not towards the limits of other people [D-91]", async () => {
    await exhaustLimit("/portal/offers", personToken);
    const second = await platform.call("POST", "/portal/session", {
      json: { emailAddress: "HANA@harbour-hotels.example", password: "demo-password" },
    });
    expect((await get("/portal/profile", second.json<{ token: string }>().token)).status).toBe(429);
    expect((await hana.get("/offers")).status).toBe(429);
    expect((await get("/portal/offers", await platform.signInPerson("bo@bistro-group.example"))).status).toBe(200);
    expect((await get("/worker-app/notifications", workerToken)).status).toBe(200);
  });

  test.each([
    ["the portal", () => hana, "/offers"],
    ["the app", () => amal, "/app"],
  ])(
    "requests for pages of %s above the limit get a page that shows when to try again [D-91]",
    async (_, client, path) => {
      for (let number = 0; number < 40; number += 1) expect((await client().get(path)).status).toBe(200);
      const { status, headers, text } = await client().get(path);
      expect(status).toBe(429);
      expect(headers.get("content-type")).toMatch(/^text\/html/);
      expect(headers.get("retry-after")).toBe("60");
      expect(text).toContain("<h1>Too many requests</h1>");
      expect(text).toContain("Try again in 60 seconds.");
      // Styles, live streams and sign-outs are not limited.
      const style = /href="(\/assets\/styles[^"]+)"/.exec(text)?.[1] ?? "";
      expect((await client().get(style)).status).toBe(200);
      const live = path === "/app" ? "/app/live" : "/live";
      const stream = await fetch(platform.address + live, { headers: { Cookie: client().cookie() } });
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
      // Reloads of live parts have a separate limit.
      expect((await client().get(path, { "X-Part": "1" })).status).toBe(200);
    },
  );

  test("live streams do not count towards the limit of other requests", async () => {
    for (let number = 0; number < 40; number += 1) {
      const headers = { Authorization: `Bearer ${workerToken}` };
      const stream = await fetch(`${platform.address}/worker-app/notifications/stream`, { headers });
      expect(stream.status).toBe(200);
      await stream.body?.cancel();
    }
    expect((await get("/worker-app/notifications", workerToken)).status).toBe(200);
    const headers = { Authorization: `Bearer ${workerToken}` };
    expect((await fetch(`${platform.address}/worker-app/notifications/stream`, { headers })).status).toBe(429);
  });

  test("a person's writes are limited to a tenth of the requests, so a worker who keeps responding triggers few webhooks", async () => {
    const offer = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: offer });
    const { id } = created.json<{ id: string }>();
    const act = (action: string) => platform.call("POST", `/worker-app/offers/${id}/${action}`, { token: workerToken });
    for (const action of ["apply", "reject", "apply", "reject"]) expect((await act(action)).status).toBe(204);
    expect((await act("apply")).status).toBe(429);
    expect((await get(`/worker-app/offers/${id}`, workerToken)).json()).toMatchObject({ response: "rejected" });
    const { status, text } = await amal.send(`/app/offers/${id}/apply`);
    expect(status).toBe(429);
    expect(text).toContain("Nothing was changed.");
    expect((await amal.send("/app/sign-out")).status).toBe(303);
    await amal.signIn("worker_amal");
  });
});

describe.each(await anyStore())("contacts that a worker adds on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.remove());

  describe("through the app", () => {
    let platform: PlatformUnderTest;
    const add = async (workerId: string, organisationId = "org_harbour") =>
      platform.call("POST", "/worker-app/contacts", {
        token: await platform.signInWorker(workerId),
        json: { organisationId },
      });
    const readDeliveries = async () => {
      const token = await platform.signInPerson("hana@harbour-hotels.example");
      await platform.call("GET", "/portal/profile", { token });
      return (await platform.call("GET", "/portal/deliveries", { token })).json<{ deliveries: unknown[] }>().deliveries;
    };
    beforeAll(async () => {
      platform = await openPlatform(database, { personRateLimit: { count: 100_000, seconds: 60 } });
    });
    afterAll(() => platform.close());

    test("a worker can add twenty contacts an hour across all processes, even when the requests arrive together [D-91]", async () => {
      const organisations = ["org_harbour", "org_bistro", "org_crew"];
      const statuses: number[] = [];
      for (let round = 0; round < 6; round += 1) {
        const requests = Array.from({ length: 10 }, (_, number) => add("worker_amal", organisations[number % 3]));
        statuses.push(...(await Promise.all(requests)).map(({ status }) => status));
      }
      expect(statuses.filter((status) => status === 204)).toHaveLength(20);
      expect(statuses.filter((status) => status === 429)).toHaveLength(40);
      const rejected = await add("worker_amal");
      const seconds = Number(rejected.headers.get("retry-after"));
      expect(seconds).toBeGreaterThan(3_000);
      expect(seconds).toBeLessThanOrEqual(3_600);
      expect(rejected.json()).toMatchObject({ code: "rate_limited", detail: expect.stringMatching(/20 .*60 minutes/) });
      expect(await readDeliveries()).toEqual([]);
      expect((await add("worker_ben")).status).toBe(204);
    });

    test("a worker who adds too many contacts gets a page that shows when to try again", async () => {
      const amal = openPageClient(platform.address, "/app/sign-in");
      await amal.signIn("worker_amal");
      const { status, headers, text } = await amal.send("/app/contacts", { organisationId: "org_bistro", once: "a" });
      expect(status).toBe(429);
      expect(headers.get("content-type")).toMatch(/^text\/html/);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(text).toContain("60 minutes");
    });
  });

  test("a worker can add contacts again an hour after the first contact, even if a different process counted it", async () => {
    const fixture = await openDeliveryFixture(database);
    afterEach(() => fixture.close());
    const organisationId = await addOrganisation(fixture.store);
    const add = () =>
      fixture.store.transaction((trx) =>
        addContact(
          trx,
          { personLimits: createPersonLimits({ count: 100_000, seconds: 60 }) },
          "worker_cleo",
          organisationId,
        ),
      );
    for (let number = 0; number < 20; number += 1) await add();
    await expect(add()).rejects.toMatchObject({ code: "rate_limited" });
    await fixture.store.db
      .updateTable("events")
      .set({ created_at: new Date(Date.now() - 3_600_000) } as never)
      .where("organisation_id", "=", organisationId)
      .execute();
    await add();
  });
});

test("without a person limit, no request is counted", async () => {
  const limits = createPersonLimits(undefined);
  for (let number = 0; number < 1_000; number += 1) await limits.count("worker_id worker_amal", "act");
  expect(limits.contactsPerHour).toBeUndefined();
});
