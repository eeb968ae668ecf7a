import { describe, expect, test } from "vitest";
import { openPlatform } from "../support/platform-under-test.ts";
import { type Respond, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { secret, usePortal } from "./use-portal.ts";

describe.each(await anyStore())("the portal on $title", ({ createDatabase }) => {
  const portal = usePortal(createDatabase);
  const { call, save } = portal;

  describe("signing in", () => {
    test.each(["hana@harbour-hotels.example", "hana.lind@harbour-hotels.example", "HANA@Harbour-Hotels.EXAMPLE"])(
      "a person can sign in with %s",
      async (address) => expect(await portal.platform.signInPerson(address)).toMatch(/^[\w-]{43}$/),
    );

    test.each([
      { emailAddress: "hana@harbour-hotels.example", password: "demo-passwore" },
      { emailAddress: "unknown@harbour-hotels.example", password: "demo-password" },
      { emailAddress: "worker_amal", password: "demo-password" },
    ])("signing in with %o gets 401, and the response does not reveal what was wrong", async (json) => {
      const response = await portal.platform.call("POST", "/portal/session", { json });
      expect(response.json()).toMatchObject({ status: 401, code: "invalid_credentials" });
    });

    test("after ten wrong passwords, signing in is rejected for that account only", async () => {
      const signInWrongly = (emailAddress: string) =>
        portal.platform.call("POST", "/portal/session", { json: { emailAddress, password: "demo-passwore" } });
      const statuses = [];
      for (let count = 0; count < 11; count += 1) statuses.push((await signInWrongly(`guessed@example.com`)).status);
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
      const rejected = await signInWrongly("GUESSED@example.com");
      expect(rejected.json()).toMatchObject({ code: "too_many_sign_ins" });
      expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(200);
      expect((await signInWrongly("else@example.com")).status).toBe(401);
    });

    test("a token works until its session is signed out [D-56]", async () => {
      const credentials = { emailAddress: "ada@crew-agency.example", password: "demo-password" };
      const signedIn = await portal.platform.call("POST", "/portal/session", { json: credentials });
      const { token, expiresAt } = signedIn.json<{ token: string; expiresAt: string }>();
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now());
      expect((await call("GET", "/portal/profile", { token })).status).toBe(200);
      expect((await call("DELETE", "/worker-app/session", { token })).status).toBe(204);
      expect((await call("GET", "/portal/profile", { token })).status).toBe(200);
      expect((await call("DELETE", "/portal/session", { token })).status).toBe(204);
      expect((await call("GET", "/portal/profile", { token })).status).toBe(401);
    });

    test("every portal operation requires a person's token, not an API key or a worker's token", async () => {
      const workerToken = await portal.platform.signInWorker("worker_amal");
      for (const [method, path] of [
        ["GET", "/portal/profile"],
        ["PUT", "/portal/profile"],
        ["GET", "/portal/offers"],
        ["GET", "/portal/deliveries"],
        ["POST", "/portal/deliveries/x/redeliver"],
        ["POST", "/portal/deliveries/redeliver"],
        ["POST", "/portal/profile/enable"],
        ["GET", "/portal/suggestions/organisations"],
        ["POST", "/portal/suggestions/search"],
        ["GET", "/portal/invitations"],
        ["POST", "/portal/invitations"],
        ["GET", "/portal/mailbox"],
      ] as const)
        for (const credentials of [{}, { key: "demo-key-harbour" }, { token: workerToken }, { token: "x" }]) {
          const response = await portal.platform.call(method, path, credentials);
          expect(response.json()).toMatchObject({ status: 401, code: "unauthenticated" });
          expect(response.headers.get("www-authenticate")).toBe("Bearer");
        }
    });
  });

  describe("the company profile", () => {
    test("a profile is saved when both checks get 200, and only the second check is signed", async () => {
      const response = await save({ suggestsContacts: true });
      expect(response.status).toBe(200);
      const check = { method: "GET", passed: true, status: 200, failure: null, milliseconds: expect.any(Number) };
      expect(response.json()).toMatchObject({
        organisation: { id: "org_harbour", name: "Harbour Hotels" },
        baseAddress: `${portal.receiver.baseAddress}/hooks/`,
        suggestsContacts: true,
        checks: [
          { ...check, path: "/test" },
          { ...check, path: "/test/auth" },
        ],
      });
      const [first, second] = portal.receiver.requests;
      expect([first?.url, second?.url]).toEqual(["/hooks/test", "/hooks/test/auth"]);
      expect(first?.headers).not.toHaveProperty("authorization");
    });

    test("the profile never shows the secret", async () => {
      await save();
      const profile = await call("GET", "/portal/profile");
      expect(profile.json()).toMatchObject({ baseAddress: `${portal.receiver.baseAddress}/hooks/` });
      expect(profile.text).not.toContain(secret);
      expect(portal.platform.logLines.join()).not.toContain(secret);
    });

    test.each<[string, Respond, number | null, number | null]>([
      ["responds with 500", respondWith(500), 500, 500],
      ["responds with 204", respondWith(204), 204, 204],
      ["redirects", respondWith(302, { location: "/elsewhere" }), 302, 302],
      [
        "rejects the secret",
        (request, response) => respondWith(request.url.endsWith("/auth") ? 401 : 200)(request, response),
        200,
        401,
      ],
      ["hangs up", (_, response) => void response.destroy(), null, null],
    ])(
      "a profile is not changed when its new address %s [interface: Errors 1]",
      async (_, respond, testStatus, authStatus) => {
        await save();
        const profileBefore = (await call("GET", "/portal/profile")).text;
        portal.receiver.respond = respond;
        const rejected = await save({ suggestsContacts: true, baseAddress: `${portal.receiver.baseAddress}/other` });
        expect(rejected.json()).toMatchObject({
          status: 422,
          code: "endpoint_check_failed",
          checks: [
            { path: "/test", status: testStatus, reason: expect.any(String) },
            { path: "/test/auth", status: authStatus, passed: false, reason: expect.any(String) },
          ],
        });
        expect((await call("GET", "/portal/profile")).text).toBe(profileBefore);
      },
    );

    test.each([
      ["http://127.0.0.1:1", "connection_refused"],
      ["http://169.254.169.254/latest", "forbidden_address"],
      ["http://10.0.0.1", "forbidden_address"],
      ["ftp://example.com", "invalid_address"],
      ["not an address", "invalid_address"],
      ["http://127.0.0.1:99999", "invalid_address"],
      [`http://${"a".repeat(300)}`, expect.any(String)],
      ["http://user:pass@127.0.0.1", "invalid_address"],
    ])("a profile is not saved with the address %s [D-41]", async (baseAddress, failure) =>
      expect((await save({ baseAddress })).json()).toMatchObject({
        status: 422,
        checks: [
          { passed: false, status: null, failure },
          { passed: false, status: null, failure },
        ],
      }),
    );

    test.each([
      [{ secret: undefined }, "secret"],
      [{ secret: "short" }, "secret"],
      [{ secret: `${secret} ` }, "secret"],
      [{ secret: `${secret}\t${secret}` }, "secret"],
      [{ secret: `${secret}\n${secret}` }, "secret"],
      [{ baseAddress: "" }, "baseAddress"],
      [{ suggestsContacts: "yes" }, "suggestsContacts"],
      [{ extra: 1 }, "extra"],
    ])("a profile with %o gets 400, and no endpoint is called", async (changes, field) => {
      const response = await save(changes);
      expect(response.json()).toMatchObject({ status: 400, errors: { [field]: [expect.any(String)] } });
      expect(portal.receiver.requests).toEqual([]);
    });
  });
});

describe("outside development", async () => {
  const [store] = await anyStore();

  test("outside development, people see only their own mail", async () => {
    const database = await store.createDatabase();
    const platform = await openPlatform(database, { showAllMail: false });
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    for (const notifyEmailAddress of ["Hana@Harbour-Hotels.example", "else@example.com"])
      await platform.call("POST", "/offer", { key: "demo-key-harbour", json: { ...json, notifyEmailAddress } });
    const readMails = async (emailAddress: string) =>
      (await platform.call("GET", "/portal/mailbox", { token: await platform.signInPerson(emailAddress) })).json();
    expect(await readMails("hana@harbour-hotels.example")).toMatchObject({
      mails: [{ to: "Hana@Harbour-Hotels.example", subject: "Offer created: Bar" }],
    });
    expect(await readMails("bo@bistro-group.example")).toEqual({ mails: [], next: null });
    await platform.close();
    await database.remove();
  });
});
