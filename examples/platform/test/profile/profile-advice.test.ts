import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { type Respond, respondWith } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver();
let token = "";

beforeAll(async () => {
  token = await platform.signInPerson("hana@harbour-hotels.example");
});
beforeEach(() => {
  receiver.respond = respondWith(200);
});

const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";
const buildProfile = (changes: object = {}) => ({
  baseAddress: receiver.baseAddress,
  secret,
  scheme: "timestampDigest",
  suggestsContacts: false,
  ...changes,
});
const saveProfile = (json: object) => platform.call("PUT", "/portal/profile", { token, json });
interface Check {
  path: string;
  passed: boolean;
  status: number | null;
  code: string;
  reason: string;
}
const readChecks = (response: { json<T>(): T }) => response.json<{ checks: Check[] }>().checks;

/** Responds with the status to these paths, and with 200 to all other paths. */
const respondToPaths =
  (paths: readonly string[], status: number): Respond =>
  (request, response) =>
    respondWith(paths.includes(request.url) ? status : 200)(request, response);

describe("checks that succeed with a status other than 200", () => {
  const cases = [201, 202, 203, 204, 205, 206, 299].flatMap((status) =>
    [["/test"], ["/test/auth"], ["/test", "/test/auth"]].map((paths) => ({ status, paths })),
  );

  test.each(cases)(
    "a check's success status other than 200 is reported with a remedy: $status from $paths [D-41]",
    async ({ status, paths }) => {
      receiver.respond = respondToPaths(paths, status);
      const response = await saveProfile(buildProfile());
      expect(response.status).toBe(422);
      for (const check of readChecks(response)) {
        if (!paths.includes(check.path)) {
          expect(check).toMatchObject({ passed: true, status: 200, code: "passed" });
          continue;
        }
        expect(check).toMatchObject({ passed: false, status, code: "success_not_200", failure: null });
        for (const words of [String(status), "only 200 counts", "204", "returns nothing", "return 200"])
          expect(check.reason).toContain(words);
      }
    },
  );

  test("a 204 is explained when changing the scheme, rotating and enabling, as JSON and on the page", async () => {
    expect((await saveProfile(buildProfile())).status).toBe(200);
    receiver.respond = respondWith(204);
    const standard = { scheme: "timestampDigestAndStandardWebhooks", secret: `whsec_${btoa("x".repeat(24))}` };
    const responses = [
      await saveProfile(buildProfile(standard)),
      await platform.call("POST", "/portal/profile/rotation", { token, json: { secret: `${secret} new` } }),
      await platform.call("POST", "/portal/profile/enable", { token }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(422);
      expect(readChecks(response).map(({ code }) => code)).toEqual(["success_not_200", "success_not_200"]);
    }
    for (const page of [
      await hana.send("/company", { ...buildProfile(standard), suggestsContacts: "" } as Record<string, string>),
      await hana.send("/company/rotation", { secret: `${secret} new` }),
      await hana.send("/company/enable"),
    ]) {
      expect(page.status).toBe(422);
      expect(page.text.match(/responded with 204; only 200 counts/g)).toHaveLength(2);
    }
  });

  test("the profile page explains, even before any failure, that webhooks require a 200", async () => {
    const { text } = await hana.get("/company");
    expect(text).toMatch(/Respond with 200 to webhooks too.*204/s);
  });
});

test.each([
  [301, "redirected"],
  [401, "secret_refused"],
  [403, "secret_refused"],
  [404, "not_found"],
  [500, "not_200"],
  [418, "not_200"],
])("a check that gets %i has the code %s", async (status, code) => {
  receiver.respond = respondToPaths(["/test/auth"], status);
  expect(readChecks(await saveProfile(buildProfile()))).toMatchObject([
    { code: "passed" },
    { code, passed: false, status },
  ]);
});

test("a check without a response has the code of its failure", async () => {
  receiver.respond = (_, response) => void response.destroy();
  for (const check of readChecks(await saveProfile(buildProfile())))
    expect(check).toMatchObject({ code: "connection_lost", failure: "connection_lost" });
});

describe.each(await anyStore())("switching suggestions on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let storePlatform: PlatformUnderTest;
  let person: PageClient;
  let storeToken = "";
  beforeAll(async () => {
    database = await createDatabase();
    storePlatform = await openPlatform(database);
    storeToken = await storePlatform.signInPerson("hana@harbour-hotels.example");
    person = openPageClient(storePlatform.address);
    await person.signIn("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await storePlatform.close();
    await database.remove();
  });
  const save = (json: object) => storePlatform.call("PUT", "/portal/profile", { token: storeToken, json });
  const readSuggestsContacts = async () =>
    (await storePlatform.call("GET", "/portal/profile", { token: storeToken })).json<{ suggestsContacts: boolean }>()
      .suggestsContacts;
  const withoutSecret = (changes: object = {}) => {
    const { secret: _, ...profile } = buildProfile();
    return { ...profile, ...changes };
  };

  test("switching suggestions requires a secret while there is no profile", async () => {
    for (const json of [withoutSecret(), withoutSecret({ suggestsContacts: true })])
      expect((await save(json)).json()).toMatchObject({ status: 400, errors: { secret: [expect.any(String)] } });
  });

  test("switching suggestions changes nothing else, and requires no secret or checks [D-41]", async () => {
    expect((await save(buildProfile())).status).toBe(200);
    await storePlatform.call("POST", "/portal/profile/rotation", {
      token: storeToken,
      json: { secret: `${secret}-new` },
    });
    const profileBefore = (await storePlatform.call("GET", "/portal/profile", { token: storeToken })).json<object>();
    receiver.requests.length = 0;
    receiver.respond = respondWith(500);
    const { baseAddress } = buildProfile();
    for (const [json, isOn] of [
      [withoutSecret({ suggestsContacts: true }), true],
      [withoutSecret(), false],
      [{ baseAddress, suggestsContacts: true }, true],
    ] as const) {
      const response = await save(json);
      expect(response.status).toBe(200);
      expect(response.json()).toEqual({
        ...profileBefore,
        suggestsContacts: isOn,
        savedAt: expect.any(String),
        checks: [],
      });
    }
    expect(receiver.requests).toEqual([]);
    for (const change of [
      { baseAddress: `${receiver.baseAddress}/other` },
      { scheme: "timestampDigestAndStandardWebhooks" },
    ]) {
      const rejected = await save(withoutSecret({ ...change, suggestsContacts: false }));
      expect(rejected.json()).toMatchObject({
        status: 400,
        errors: { secret: [expect.stringMatching(/base URL.*scheme/)] },
      });
    }
    expect((await save(withoutSecret({ secret: "" }))).status).toBe(400);
    expect(await readSuggestsContacts()).toBe(true);
    expect(receiver.requests).toEqual([]);
  });

  test("suggestions can be switched on the page without the secret [D-41]", async () => {
    const { text } = await person.get("/company");
    expect(/<input type="password"[^>]*id="secret"[^>]*>/.exec(text)?.[0]).not.toContain("required");
    const form = { baseAddress: receiver.baseAddress, secret: "", scheme: "timestampDigest" };
    const switchedOff = await person.send("/company", form);
    expect(switchedOff.status).toBe(200);
    expect(switchedOff.text).toContain("Nothing else was changed");
    expect(switchedOff.text).not.toContain("Both checks");
    expect(await readSuggestsContacts()).toBe(false);
    expect((await person.send("/company", { ...form, suggestsContacts: "yes" })).status).toBe(200);
    expect(await readSuggestsContacts()).toBe(true);
    const rejected = await person.send("/company", { ...form, baseAddress: `${receiver.baseAddress}/other` });
    expect(rejected.status).toBe(422);
    expect(rejected.text).toContain('id="secret-error"');
  });
});
