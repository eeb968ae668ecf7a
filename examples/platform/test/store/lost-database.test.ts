import { OffersClient } from "@offers/client";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformResponse, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

const key = "demo-key-harbour";
const input = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };

const nothingChanged = "The database is not ready. Nothing was changed. Try again in a moment.";
/** Returns what `summarize` returns for a response that reports an unavailable database. */
const unavailableResponse = (detail: unknown = nothingChanged) => ({
  status: 503,
  retryAfter: "1",
  code: "service_unavailable",
  detail,
});
/** Reduces a response to the fields that `unavailableResponse` contains. */
const summarize = ({ status, headers, json }: PlatformResponse) => {
  const { code, detail } = json<{ code?: string; detail?: string }>();
  return { status, retryAfter: headers.get("retry-after"), code, detail };
};

describe.each((await storesUnderTest()).slice(1))(
  "a platform that loses its connection to $title",
  ({ createDatabase }) => {
    let database: TestDatabase;
    let proxy: TcpProxy;
    let platform: PlatformUnderTest;
    let page: PageClient;
    let personToken: string;
    let workerToken: string;
    /** A client that closes connections to this database. It uses a different database, without the proxy. */
    let admin: pg.Client;
    let name: string;

    beforeAll(async () => {
      database = await createDatabase();
      const url = new URL(database.options.databaseUrl ?? "");
      name = url.pathname.slice(1);
      admin = new pg.Client(Object.assign(new URL(url), { pathname: "/postgres" }).href);
      await admin.connect();
      proxy = await openTcpProxy(`http://${url.host}`);
      url.host = new URL(proxy.address).host;
      platform = await openPlatform({ ...database, options: { ...database.options, databaseUrl: url.href } });
      page = openPageClient(platform.address);
      await page.signIn("hana@harbour-hotels.example");
      personToken = await platform.signInPerson("hana@harbour-hotels.example");
      workerToken = await platform.signInWorker("worker_amal");
    });
    afterAll(async () => {
      await platform.close();
      await proxy.close();
      await admin.end();
      await database.remove();
    });

    const create = (idempotencyKey: string, title = idempotencyKey) =>
      platform.call("POST", "/offer", {
        key,
        json: { ...input, title },
        headers: { "Idempotency-Key": idempotencyKey },
      });
    const isReady = async () => (await platform.call("GET", "/readyz")).status === 200;
    const endConnections = (where = "true") =>
      admin.query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and ${where}`, [name]);
    /** Runs statements in the platform's database without using the proxy. */
    const queryDirectly = async (text: string): Promise<pg.QueryResult> => {
      const client = new pg.Client(database.options.databaseUrl);
      client.on("error", () => undefined);
      await client.connect();
      return client.query(text).finally(() => client.end());
    };
    const countOffers = async (title: string): Promise<number> =>
      (await queryDirectly(`select from offers where title = '${title}'`)).rowCount ?? 0;

    afterEach(async () => {
      proxy.restore();
      await admin.query(`alter database ${name} reset default_transaction_read_only`);
      await admin.query(`alter database ${name} connection limit -1`);
      await eventually("the platform is ready", isReady);
      // A title has at most 200 characters.
      expect((await create(`after ${expect.getState().currentTestName}`.slice(-200))).status).toBe(201);
    });

    test.each([
      ["the API", "POST", "/offer", () => ({ key, json: input })],
      ["the API", "GET", "/offer/offer_1", () => ({ key })],
      ["the portal", "GET", "/portal/offers", () => ({ token: personToken })],
      ["a sign-in", "POST", "/portal/session", () => ({ json: { emailAddress: "a@b.example", password: "x" } })],
      ["the worker app", "GET", "/worker-app/notifications", () => ({ token: workerToken })],
    ])(
      "a platform without its database responds with 503 and Retry-After on %s: %s %s [D-145]",
      async (_, method, path, options) => {
        proxy.cut();
        expect(summarize(await platform.call(method, path, options()))).toEqual(unavailableResponse());
      },
    );

    test("a platform without its database responds with 503 and Retry-After on /readyz, and stays alive [D-145]", async () => {
      proxy.cut();
      expect(summarize(await platform.call("GET", "/readyz"))).toEqual(unavailableResponse("Try again in a moment."));
      expect((await platform.call("GET", "/healthz")).status).toBe(200);
    });

    test("a platform without its database shows a page that explains what to do", async () => {
      proxy.cut();
      const { status, headers, text } = await page.get("/offers");
      expect([status, headers.get("retry-after"), headers.get("content-type")]).toEqual([
        503,
        "1",
        "text/html; charset=utf-8",
      ]);
      expect(text).toContain("<h1>Service unavailable</h1>");
      expect(text).toContain("Try again in a moment.");
    });

    test("a platform without its database logs the cause of each 503", async () => {
      proxy.cut();
      platform.logLines.length = 0;
      await platform.call("GET", "/portal/offers", { token: personToken });
      const failed = platform.logLines.filter((line) => line.includes("http.failed")).map((line) => JSON.parse(line));
      expect(failed).toMatchObject([{ error: "StoreError", code: "database_lost", cause: { error: "Error" } }]);
    });

    test("a request whose connection ends during a transaction gets 503 and changes nothing", async () => {
      const blocker = new pg.Client(database.options.databaseUrl);
      await blocker.connect();
      await blocker.query("begin; lock table recipients in exclusive mode");
      const creation = create("ended in the middle");
      const isWaiting = `wait_event_type = 'Lock'`;
      const countWaiting = () =>
        admin
          .query(`select from pg_stat_activity where datname = $1 and ${isWaiting}`, [name])
          .then(({ rowCount }) => rowCount);
      await expect.poll(countWaiting).toBe(1);
      await endConnections(isWaiting);
      expect(summarize(await creation)).toEqual(unavailableResponse());
      await blocker.query("rollback");
      await blocker.end();
      expect(await countOffers("ended in the middle")).toBe(0);
    });

    test("changes get 503 while the server is read-only, and the connections are closed", async () => {
      await admin.query(`alter database ${name} set default_transaction_read_only to on`);
      await endConnections();
      await expect.poll(() => create("read-only").then(summarize)).toEqual(unavailableResponse());
      // The pool may notice that a connection is closed only when a request uses it.
      await expect
        .poll(() => platform.call("GET", "/portal/offers", { token: personToken }))
        .toMatchObject({ status: 200 });
      expect(await isReady()).toBe(false);
      expect(await countOffers("read-only")).toBe(0);
    });

    test("statements fail with database_lost while the server has too many connections", async () => {
      // The database's connection limit does not apply to superusers. PostgreSQL limits names to 63 bytes.
      const role = `${name}_role`.slice(-60);
      await admin.query(`create role ${role} login password 'secret'`);
      const url = new URL(database.options.databaseUrl ?? "");
      [url.username, url.password] = [role, "secret"];
      await queryDirectly(`grant all on schema public to ${role}; grant all on all tables in schema public to ${role}`);
      const store = await openStore({ ...database.options, databaseUrl: url.href });
      await admin.query(`alter database ${name} connection limit 0`);
      await endConnections(`usename = '${role}'`);
      await expect
        .poll(() =>
          store.db
            .selectFrom("offers")
            .select("id")
            .execute()
            .catch((error: unknown) => error),
        )
        .toMatchObject({ code: "database_lost", cause: { code: "53300" } });
      await store.close();
      await queryDirectly(`drop owned by ${role}`);
      await admin.query(`drop role ${role}`);
    });

    describe("during a commit", () => {
      beforeAll(async () => {
        await queryDirectly(`
        create function wait_at_commit() returns trigger language plpgsql as
          $$ begin if new.title like 'uncertain%' then perform pg_sleep(1); end if; return new; end $$;
        create constraint trigger wait_at_commit after insert on offers deferrable initially deferred
          for each row execute function wait_at_commit()`);
      });
      const isCommitting = async () =>
        (
          await admin.query(
            "select from pg_stat_activity where datname = $1 and query = 'commit' and state = 'active'",
            [name],
          )
        ).rowCount === 1;

      test("the 503 for a commit without a response explains that the change may have been made, and the same key does not repeat it [D-145]", async () => {
        const creation = create("uncertain: committed");
        await expect.poll(isCommitting).toBe(true);
        proxy.cut();
        expect(summarize(await creation)).toEqual(
          unavailableResponse(expect.stringMatching(/may have been made.* same Idempotency-Key/)),
        );
        proxy.restore();
        await expect.poll(() => countOffers("uncertain: committed"), { timeout: 5_000 }).toBe(1);
        const retried = await create("uncertain: committed");
        expect([retried.status, retried.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
        expect(await countOffers("uncertain: committed")).toBe(1);
      });

      test("a commit that the server rolls back gets the same response, and the same key makes the change", async () => {
        const creation = create("uncertain: rolled back");
        await expect.poll(isCommitting).toBe(true);
        await endConnections("query = 'commit'");
        expect(summarize(await creation)).toEqual(unavailableResponse(expect.stringContaining("may have been made")));
        expect(await countOffers("uncertain: rolled back")).toBe(0);
        const retried = await create("uncertain: rolled back");
        expect([retried.status, retried.headers.get("idempotency-replayed")]).toEqual([201, null]);
      });

      test("a client with serviceHonoursIdempotencyKey handles a connection that is lost during a commit", async () => {
        const client = new OffersClient({ baseUrl: platform.address, apiKey: key, serviceHonoursIdempotencyKey: true });
        const creation = client.createOffer({ ...input, title: "uncertain: by the client" });
        await expect.poll(isCommitting).toBe(true);
        proxy.cut();
        setTimeout(() => proxy.restore(), 1_200);
        const { id } = await creation;
        expect((await client.getOffer(id)).id).toBe(id);
        expect(await countOffers("uncertain: by the client")).toBe(1);
      });
    });
  },
);
