import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLog } from "../../src/observability/log.ts";
import { packageFolder } from "../../src/settings/package-folder.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { describeStartFailure, startPlatform } from "../../src/start-platform.ts";
import { openStore } from "../../src/store/open-store.ts";
import { eventually } from "../support/eventually.ts";
import { startProcess } from "../support/platform-process.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { hangUp, openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { useDatabase } from "../support/use-opened.ts";

/** A string that is part of every secret and all personal data, so that no log line may contain it. */
const sentinel = "hunter2";

const seed = {
  organisations: [{ id: "org_one", name: `Organisation ${sentinel}`, kind: "hirer", apiKeys: [`key-${sentinel}`] }],
  people: [
    {
      id: "user_one",
      organisationId: "org_one",
      name: `Person ${sentinel}`,
      emailAddresses: [`${sentinel}@example.com`],
      password: `password-${sentinel}`,
    },
  ],
  workers: [
    { id: `worker_${sentinel}`, name: `Worker ${sentinel}`, devices: ["ios"], password: `password-${sentinel}` },
  ],
};

let folder: string;
let seedFile: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "offers-logs-"));
  seedFile = join(folder, "seed.json");
  await writeFile(seedFile, JSON.stringify(seed));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(await anyStore())("the log on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let receiver: Receiver;
  let person: string;
  let worker: string;
  /** Decides the response to events. The two checks of an endpoint always return 200. */
  let respondToEvents: Respond;

  beforeAll(async () => {
    database = await createDatabase();
    // PostgreSQL's errors about these constraints quote the row.
    const store = await openStore(database.options);
    await store.execute("alter table offers add check (details <> 'make the store fail')");
    await store.execute("alter table attempts add check (status <> 418)");
    await store.close();
    receiver = await openReceiver((request, response) =>
      (request.url.includes("/test") ? respondWith(200) : respondToEvents)(request, response),
    );
    platform = await openPlatform(database, { seedFile });
    const signIn = async (path: string, credentials: object): Promise<string> => {
      const json = { ...credentials, password: `password-${sentinel}` };
      return (await platform.call("POST", path, { json })).json<{ token: string }>().token;
    };
    person = await signIn("/portal/session", { emailAddress: `${sentinel}@example.com` });
    worker = await signIn("/worker-app/session", { workerId: `worker_${sentinel}` });
  });
  beforeEach(() => {
    respondToEvents = respondWith(200);
    platform.logLines.length = 0;
  });
  afterAll(async () => {
    await platform.close();
    await receiver.close();
    await database.remove();
    expectSilence();
  });

  const create = (changes: object = {}, headers: Record<string, string> = {}) => {
    const offer = { createdByUserId: "user_one", title: `Title ${sentinel}`, details: `Details ${sentinel}` };
    const json = { ...offer, notifyEmailAddress: `desk-${sentinel}@example.com`, workerIds: [`worker_${sentinel}`] };
    return platform.call("POST", "/offer", { key: `key-${sentinel}`, headers, json: { ...json, ...changes } });
  };
  const saveProfile = () => {
    const profile = { baseAddress: `${receiver.baseAddress}/${sentinel}`, secret: `secret-${sentinel}-and-more` };
    return platform.call("PUT", "/portal/profile", { token: person, json: { ...profile, suggestsContacts: true } });
  };
  const apply = async (): Promise<void> => {
    const { id } = (await create()).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: worker });
  };
  const logged = (message: string): Record<string, unknown>[] =>
    platform.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  const signatures = () => receiver.requests.map(({ headers }) => headers.authorization).filter(Boolean);

  function expectSilence(): void {
    const text = platform.logLines.join("");
    expect(text).not.toContain(sentinel);
    for (const secret of [person, worker, ...signatures()]) expect(text).not.toContain(secret);
  }

  test("writes one line per request with the route's template, status and id, and no data of the caller", async () => {
    const traceId = "ab".repeat(16);
    const { headers } = await create(
      {},
      { "X-Request-Id": sentinel, traceparent: `00-${traceId}-${"cd".repeat(8)}-01` },
    );
    await platform.call("GET", `/offer/${sentinel}`, { key: `key-${sentinel}` });
    await platform.call("GET", `/offer/${sentinel}?${sentinel}=${sentinel}`, { key: `key-${sentinel}` });
    await platform.call("GET", `/${sentinel}`, { key: `wrong-${sentinel}` });
    await platform.call("POST", "/offer", { key: `wrong-${sentinel}`, body: sentinel });
    await create({ title: 7, [sentinel]: sentinel });
    await platform.call("POST", "/portal/session", { json: { emailAddress: sentinel, password: sentinel } });
    const responses = logged("http.response");
    expect(responses).toContainEqual({
      level: 30,
      time: expect.any(Number),
      msg: "http.response",
      method: "POST",
      route: "/offer",
      status: 201,
      ms: expect.any(Number),
      requestId: headers.get("x-request-id"),
    });
    expect(responses).toContainEqual(expect.objectContaining({ method: "GET", route: "/offer/:id", status: 404 }));
    expect(responses).toContainEqual(expect.objectContaining({ method: "GET", route: "none", status: 404 }));
    expect(platform.logLines.join("")).not.toContain(traceId);
    expectSilence();
  });

  test("writes one line per attempt with its ids, template and outcome, whatever the response", async () => {
    expect((await saveProfile()).status).toBe(200);
    respondToEvents = respondWith(500, { "x-secret": sentinel, "content-type": "text/plain" }, `no ${sentinel}`);
    await apply();
    await eventually("it failed", () => logged("delivery.attempted").some(({ status }) => status === 500));
    respondToEvents = hangUp;
    await eventually("it failed otherwise", () =>
      logged("delivery.attempted").some(({ failure }) => failure === "connection_lost"),
    );
    await platform.call("POST", "/portal/suggestions/search", {
      token: person,
      json: { organisationIds: ["org_one"], filter: sentinel },
    });
    expect(logged("delivery.attempted")[0]).toMatchObject({
      deliveryId: expect.any(String),
      eventId: expect.any(String),
      organisationId: "org_one",
      type: "workerOfferResponse",
      number: 1,
      method: "POST",
      status: 500,
      outcome: "retry",
    });
    expect(signatures().length).toBeGreaterThan(0);
    expectSilence();
  });

  test("records a failing store by code and location", async () => {
    const failed = await create({ details: "make the store fail" });
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain(sentinel);
    expect(logged("http.failed")).toMatchObject([
      { level: 50, requestId: failed.headers.get("x-request-id"), code: "23514", at: expect.any(Array) },
    ]);
    expect((await saveProfile()).status).toBe(200);
    respondToEvents = respondWith(418, {}, sentinel);
    await apply();
    await eventually("an attempt cannot be stored", () => logged("background.error").length > 0);
    expectSilence();
  });
});

describe("a failing start", () => {
  const database = useDatabase();

  /** Runs main.ts in a separate process. @returns its output */
  async function startedApart(environment: Record<string, string>): Promise<string> {
    const { exited, output } = startProcess(database, environment);
    expect((await exited).code).toBe(1);
    expect(output.stdout).not.toContain(sentinel);
    return output.stderr;
  }

  /** Starts the platform in this process, because a separate process would be slow; in the full matrix, uses one. @returns its output */
  async function startedHere(environment: Record<string, string>): Promise<string> {
    if (process.env.TEST_MATRIX === "full") return startedApart(environment);
    const { dataFolder, databaseUrl = "" } = database.options;
    const all = { PORT: "0", OFFERS_DATA: dataFolder, DATABASE_URL: databaseUrl, ...environment };
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    try {
      const platform = await startPlatform(readSettings(all, packageFolder), log);
      await platform.close();
    } catch (error) {
      expect(lines.join("")).not.toContain(sentinel);
      return `${format("platform did not start:", describeStartFailure(error, all.DATABASE_URL))}\n`;
    }
    throw new Error("the platform started");
  }

  const [one] = seed.people;
  test.each<[string, object | string]>([
    ["is not JSON", `{ "organisations": "${sentinel}`],
    ["has an invalid field", { ...seed, people: [{ ...one, emailAddresses: [sentinel] }] }],
    ["names an unknown organisation", { ...seed, people: [{ ...one, organisationId: sentinel }] }],
  ])("on a seed that %s quotes nothing from it", async (_, content) => {
    const path = join(folder, "wrong.json");
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    const printed = await startedHere({ OFFERS_SEED: path });
    expect(printed).toMatch(/^platform did not start: /);
    expect(printed).not.toContain(sentinel);
  });

  test.each<[string, Record<string, string>]>([
    ["OFFERS_MAIL_FROM", { SMTP_URL: `smtp://a:${sentinel}@127.0.0.1` }],
    ["OFFERS_ENCRYPTION_KEY", { OFFERS_ENCRYPTION_KEY: sentinel }],
    ["DATABASE_URL", { DATABASE_URL: `postgres://a:${sentinel}@127.0.0.1:1/x?sslmode=${sentinel}` }],
  ])("names the variable %s and not its value", async (name, environment) => {
    // A driver's warnings bypass the log and appear in the process's output.
    const printed = await (name === "DATABASE_URL" ? startedApart : startedHere)(environment);
    expect(printed).toMatch(new RegExp(`^platform did not start: .*${name}.*\n$`));
    expect(printed).not.toContain(sentinel);
  });

  test("names the file of the push service's credentials and none of its contents", async () => {
    const path = join(folder, "credentials.json");
    await writeFile(path, JSON.stringify({ type: "service_account", private_key: sentinel }));
    const printed = await startedApart({ OFFERS_FCM_CREDENTIALS: path });
    expect(printed).toMatch(
      /^platform did not start: OFFERS_FCM_CREDENTIALS: .*credentials\.json does not contain .*\n$/,
    );
    expect(printed).not.toContain(sentinel);
  });
});
