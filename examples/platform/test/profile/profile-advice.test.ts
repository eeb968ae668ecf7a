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
const profile = (changes: object = {}) => ({
  baseAddress: receiver.baseAddress,
  secret,
  scheme: "timestampDigest",
  suggestsContacts: false,
  ...changes,
});
const put = (json: object) => platform.call("PUT", "/portal/profile", { token, json });
interface Check {
  path: string;
  passed: boolean;
  status: number | null;
  code: string;
  reason: string;
}
const checksOf = (response: { json<T>(): T }) => response.json<{ checks: Check[] }>().checks;

/** Makes the receiver respond like this to both checks, only to `/test`, or only to `/test/auth`. */
const only =
  (paths: readonly string[], status: number): Respond =>
  (request, response) =>
    respondWith(paths.includes(request.url) ? status : 200)(request, response);

describe("a success other than 200", () => {
  const cases = [201, 202, 203, 204, 205, 206, 299].flatMap((status) =>
    [["/test"], ["/test/auth"], ["/test", "/test/auth"]].map((paths) => ({ status, paths })),
  );

  test.each(cases)("is reported with its remedy: $status of $paths [D-41]", async ({ status, paths }) => {
    receiver.respond = only(paths, status);
    const response = await put(profile());
    expect(response.status).toBe(422);
    for (const check of checksOf(response)) {
      if (!paths.includes(check.path)) {
        expect(check).toMatchObject({ passed: true, status: 200, code: "passed" });
        continue;
      }
      expect(check).toMatchObject({ passed: false, status, code: "success_not_200", failure: null });
      for (const words of [String(status), "only 200 counts", "204", "returns nothing", "return 200"])
        expect(check.reason).toContain(words);
    }
  });

  test("is explained for a changed scheme, a rotation and an enabled endpoint, as JSON and on the page", async () => {
    expect((await put(profile())).status).toBe(200);
    receiver.respond = respondWith(204);
    const standard = { scheme: "timestampDigestAndStandardWebhooks", secret: `whsec_${btoa("x".repeat(24))}` };
    const responses = [
      await put(profile(standard)),
      await platform.call("POST", "/portal/profile/rotation", { token, json: { secret: `${secret} new` } }),
      await platform.call("POST", "/portal/profile/enable", { token }),
    ];
    for (const response of responses) {
      expect(response.status).toBe(422);
      expect(checksOf(response).map(({ code }) => code)).toEqual(["success_not_200", "success_not_200"]);
    }
    for (const page of [
      await hana.send("/company", { ...profile(standard), suggestsContacts: "" } as Record<string, string>),
      await hana.send("/company/rotation", { secret: `${secret} new` }),
      await hana.send("/company/enable"),
    ]) {
      expect(page.status).toBe(422);
      expect(page.text.match(/responded with 204; only 200 counts/g)).toHaveLength(2);
    }
  });

  test("shows a warning on the profile before anything fails", async () => {
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
])("a check with response %i has the code %s", async (status, code) => {
  receiver.respond = only(["/test/auth"], status);
  expect(checksOf(await put(profile()))).toMatchObject([{ code: "passed" }, { code, passed: false, status }]);
});

test("a check without a response has the code of its failure", async () => {
  receiver.respond = (_, response) => void response.destroy();
  for (const check of checksOf(await put(profile())))
    expect(check).toMatchObject({ code: "connection_lost", failure: "connection_lost" });
});

describe.each(await anyStore())("the switch for suggestions on $title", ({ createDatabase }) => {
  let own: TestDatabase;
  let there: PlatformUnderTest;
  let person: PageClient;
  let as = "";
  beforeAll(async () => {
    own = await createDatabase();
    there = await openPlatform(own);
    as = await there.signInPerson("hana@harbour-hotels.example");
    person = openPageClient(there.address);
    await person.signIn("hana@harbour-hotels.example");
  });
  afterAll(async () => {
    await there.close();
    await own.remove();
  });
  const save = (json: object) => there.call("PUT", "/portal/profile", { token: as, json });
  const suggests = async () =>
    (await there.call("GET", "/portal/profile", { token: as })).json<{ suggestsContacts: boolean }>().suggestsContacts;
  const withoutSecret = (changes: object = {}) => {
    const { secret: _, ...rest } = profile();
    return { ...rest, ...changes };
  };

  test("requires a secret while there is no profile", async () => {
    for (const json of [withoutSecret(), withoutSecret({ suggestsContacts: true })])
      expect((await save(json)).json()).toMatchObject({ status: 400, errors: { secret: [expect.any(String)] } });
  });

  test("changes nothing else, and needs no secret or check [D-41]", async () => {
    expect((await save(profile())).status).toBe(200);
    await there.call("POST", "/portal/profile/rotation", { token: as, json: { secret: `${secret}-new` } });
    const before = (await there.call("GET", "/portal/profile", { token: as })).json<object>();
    receiver.requests.length = 0;
    receiver.respond = respondWith(500);
    const { baseAddress } = profile();
    for (const [json, on] of [
      [withoutSecret({ suggestsContacts: true }), true],
      [withoutSecret(), false],
      [{ baseAddress, suggestsContacts: true }, true],
    ] as const) {
      const response = await save(json);
      expect(response.status).toBe(200);
      expect(response.json()).toEqual({ ...before, suggestsContacts: on, savedAt: expect.any(String), checks: [] });
    }
    expect(receiver.requests).toEqual([]);
    for (const change of [
      { baseAddress: `${receiver.baseAddress}/other` },
      { scheme: "timestampDigestAndStandardWebhooks" },
    ]) {
      const refused = await save(withoutSecret({ ...change, suggestsContacts: false }));
      expect(refused.json()).toMatchObject({
        status: 400,
        errors: { secret: [expect.stringMatching(/base URL.*scheme/)] },
      });
    }
    expect((await save(withoutSecret({ secret: "" }))).status).toBe(400);
    expect(await suggests()).toBe(true);
    expect(receiver.requests).toEqual([]);
  });

  test("works on the page without the secret [D-41]", async () => {
    const { text } = await person.get("/company");
    expect(/<input type="password"[^>]*id="secret"[^>]*>/.exec(text)?.[0]).not.toContain("required");
    const form = { baseAddress: receiver.baseAddress, secret: "", scheme: "timestampDigest" };
    const off = await person.send("/company", form);
    expect(off.status).toBe(200);
    expect(off.text).toContain("Nothing else was changed");
    expect(off.text).not.toContain("Both checks");
    expect(await suggests()).toBe(false);
    expect((await person.send("/company", { ...form, suggestsContacts: "yes" })).status).toBe(200);
    expect(await suggests()).toBe(true);
    const refused = await person.send("/company", { ...form, baseAddress: `${receiver.baseAddress}/other` });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('id="secret-error"');
  });
});
