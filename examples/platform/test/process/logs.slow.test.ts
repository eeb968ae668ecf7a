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

/** A string that is part of every secret and all personal data. No log line may contain it. */
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
  let personToken: string;
  let workerToken: string;
  /** Responds to events. An endpoint's two checks always get 200. */
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
    personToken = await signIn("/portal/session", { emailAddress: `${sentinel}@example.com` });
    workerToken = await signIn("/worker-app/session", { workerId: `worker_${sentinel}` });
  });
  beforeEach(() => {
    respondToEvents = respondWith(200);
    platform.logLines.length = 0;
  });
  afterAll(async () => {
    await platform.close();
    await receiver.close();
    await database.remove();
    expectNoSecretsLogged();
  });

  const createOffer = (changes: object = {}, headers: Record<string, string> = {}) => {
    const offer = { createdByUserId: "user_one", title: `Title ${sentinel}`, details: `Details ${sentinel}` };
    const json = { ...offer, notifyEmailAddress: `desk-${sentinel}@example.com`, workerIds: [`worker_${sentinel}`] };
    return platform.call("POST", "/offer", { key: `key-${sentinel}`, headers, json: { ...json, ...changes } });
  };
  const saveProfile = () => {
    const profile = { baseAddress: `${receiver.baseAddress}/${sentinel}`, secret: `secret-${sentinel}-and-more` };
    return platform.call("PUT", "/portal/profile", {
      token: personToken,
      json: { ...profile, suggestsContacts: true },
    });
  };
  const createOfferAndApply = async (): Promise<void> => {
    const { id } = (await createOffer()).json<{ id: string }>();
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token: workerToken });
  };
  const findLogEntries = (message: string): Record<string, unknown>[] =>
    platform.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  const listReceivedSignatures = () => receiver.requests.map(({ headers }) => headers.authorization).filter(Boolean);

  function expectNoSecretsLogged(): void {
    const text = platform.logLines.join("");
    expect(text).not.toContain(sentinel);
    for (const secret of [personToken, workerToken, ...listReceivedSignatures()]) expect(text).not.toContain(secret);
  }

  test("the log has one line per request, with the route template, the status and an id, but nothing that the caller sent", async () => {
    const traceId = "ab".repeat(16);
    const { headers } = await createOffer(
      {},
      { "X-Request-Id": sentinel, traceparent: `00-${traceId}-${"cd".repeat(8)}-01` },
    );
    await platform.call("GET", `/offer/${sentinel}`, { key: `key-${sentinel}` });
    await platform.call("GET", `/offer/${sentinel}?${sentinel}=${sentinel}`, { key: `key-${sentinel}` });
    await platform.call("GET", `/${sentinel}`, { key: `wrong-${sentinel}` });
    await platform.call("POST", "/offer", { key: `wrong-${sentinel}`, body: sentinel });
    await createOffer({ title: 7, [sentinel]: sentinel });
    await platform.call("POST", "/portal/session", { json: { emailAddress: sentinel, password: sentinel } });
    const responses = findLogEntries("http.response");
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
    expectNoSecretsLogged();
  });

  test("the log has one line per attempt with its ids, type and outcome, regardless of the response", async () => {
    expect((await saveProfile()).status).toBe(200);
    respondToEvents = respondWith(500, { "x-secret": sentinel, "content-type": "text/plain" }, `no ${sentinel}`);
    await createOfferAndApply();
    await eventually("the first attempt has failed", () =>
      findLogEntries("delivery.attempted").some(({ status }) => status === 500),
    );
    respondToEvents = hangUp;
    await eventually("the connection is lost", () =>
      findLogEntries("delivery.attempted").some(({ failure }) => failure === "connection_lost"),
    );
    await platform.call("POST", "/portal/suggestions/search", {
      token: personToken,
      json: { organisationIds: ["org_one"], filter: sentinel },
    });
    expect(findLogEntries("delivery.attempted")[0]).toMatchObject({
      deliveryId: expect.any(String),
      eventId: expect.any(String),
      organisationId: "org_one",
      type: "workerOfferResponse",
      number: 1,
      method: "POST",
      status: 500,
      outcome: "retry",
    });
    expect(listReceivedSignatures().length).toBeGreaterThan(0);
    expectNoSecretsLogged();
  });

  test("a database error is logged with its code and location only", async () => {
    const failed = await createOffer({ details: "make the store fail" });
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain(sentinel);
    expect(findLogEntries("http.failed")).toMatchObject([
      { level: 50, requestId: failed.headers.get("x-request-id"), code: "23514", at: expect.any(Array) },
    ]);
    expect((await saveProfile()).status).toBe(200);
    respondToEvents = respondWith(418, {}, sentinel);
    await createOfferAndApply();
    await eventually("an attempt cannot be stored", () => findLogEntries("background.error").length > 0);
    expectNoSecretsLogged();
  });
});

describe("failed starts", () => {
  const database = useDatabase();

  /** Runs main.ts in a separate process, and expects the start to fail. @returns the error output */
  async function readStartErrorOfProcess(environment: Record<string, string>): Promise<string> {
    const { exited, output } = startProcess(database, environment);
    expect((await exited).code).toBe(1);
    expect(output.stdout).not.toContain(sentinel);
    return output.stderr;
  }

  /** Starts the platform, expects it to fail, and returns the error. Only the full matrix starts a process, because that is slow. */
  async function readStartError(environment: Record<string, string>): Promise<string> {
    if (process.env.TEST_MATRIX === "full") return readStartErrorOfProcess(environment);
    const { dataFolder, databaseUrl = "" } = database.options;
    const allSettings = { PORT: "0", OFFERS_DATA: dataFolder, DATABASE_URL: databaseUrl, ...environment };
    const lines: string[] = [];
    const log = createLog("info", { write: (line) => void lines.push(line) });
    try {
      const platform = await startPlatform(readSettings(allSettings, packageFolder), log);
      await platform.close();
    } catch (error) {
      expect(lines.join("")).not.toContain(sentinel);
      return `${format("platform did not start:", describeStartFailure(error, allSettings.DATABASE_URL))}\n`;
    }
    throw new Error("the platform started, although it should have failed");
  }

  const [person] = seed.people;
  test.each<[string, object | string]>([
    ["is not JSON", `{ "organisations": "${sentinel}`],
    ["has an invalid field", { ...seed, people: [{ ...person, emailAddresses: [sentinel] }] }],
    ["names an unknown organisation", { ...seed, people: [{ ...person, organisationId: sentinel }] }],
  ])("the error for a seed that %s does not quote from the seed", async (_, content) => {
    const path = join(folder, "wrong.json");
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
    const printed = await readStartError({ OFFERS_SEED: path });
    expect(printed).toMatch(/^platform did not start: /);
    expect(printed).not.toContain(sentinel);
  });

  test.each<[string, Record<string, string>]>([
    ["OFFERS_MAIL_FROM", { SMTP_URL: `smtp://a:${sentinel}@127.0.0.1` }],
    ["OFFERS_ENCRYPTION_KEY", { OFFERS_ENCRYPTION_KEY: sentinel }],
    ["DATABASE_URL", { DATABASE_URL: `postgres://a:${sentinel}@127.0.0.1:1/x?sslmode=${sentinel}` }],
  ])("the error for an invalid variable names %s but not its value", async (name, environment) => {
    // A driver's warnings bypass the log and appear in the process's output.
    const printed = await (name === "DATABASE_URL" ? readStartErrorOfProcess : readStartError)(environment);
    expect(printed).toMatch(new RegExp(`^platform did not start: .*${name}.*\n$`));
    expect(printed).not.toContain(sentinel);
  });

  test("the error for invalid push credentials names their file but does not quote it", async () => {
    const path = join(folder, "credentials.json");
    await writeFile(path, JSON.stringify({ type: "service_account", private_key: sentinel }));
    const printed = await readStartErrorOfProcess({ OFFERS_FCM_CREDENTIALS: path });
    expect(printed).toMatch(
      /^platform did not start: OFFERS_FCM_CREDENTIALS: .*credentials\.json does not contain .*\n$/,
    );
    expect(printed).not.toContain(sentinel);
  });
});
