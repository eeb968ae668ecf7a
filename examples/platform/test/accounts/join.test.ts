import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { secret } from "../contract/harbour-fixture.ts";
import { openPageClient, type PageClient, type PageResponse } from "../pages/page-client.ts";
import { createSignal } from "../support/create-signal.ts";
import { eventually } from "../support/eventually.ts";
import { cheapPasswords } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { usePlatform, useReceiver } from "../support/use-opened.ts";

const dayMs = 24 * 60 * 60 * 1_000;

describe("invitation links", () => {
  /** If a test sets it, hashes wait for it. */
  let hold: Promise<unknown> = Promise.resolve();
  let hashCount = 0;
  const hash = async (password: string): Promise<string> => {
    hashCount += 1;
    await hold;
    return cheapPasswords.hash(password);
  };
  const platform = usePlatform({ now: () => new Date(clockMs), passwords: { ...cheapPasswords, hash } });
  const receiver = useReceiver();
  let clockMs = Date.now();
  beforeAll(async () => {
    receiver.respond = (request, response) => {
      const people = [...Array(12).keys()].map((index) => ({ ...createPerson(index), ratings: [] }));
      const body = request.url === "/contact-suggestions" ? JSON.stringify(people) : "";
      respondWith(200, { "content-type": "application/json" }, body)(request, response);
    };
    for (const name of ["hana@harbour-hotels.example", "bo@bistro-group.example"]) {
      const token = await platform.signInPerson(name);
      const json = { baseAddress: receiver.baseAddress, secret, suggestsContacts: true };
      expect((await platform.call("PUT", "/portal/profile", { token, json })).status).toBe(200);
    }
  });

  // The last address begins with the Kelvin sign, which is a k in lower case.
  const kims = ["kim@example.com", "\u212Aim@example.com"] as const;
  const createPerson = (index: number) => ({
    name: `Dana ${"ABCDEFGHIJKL"[index]}`,
    emailAddress: kims[index - 10] ?? `Dana${index}@example.com`,
  });

  /** Invites a person. @returns the path of the link in the email */
  async function invite(index: number, inviter = "hana@harbour-hotels.example"): Promise<string> {
    const token = await platform.signInPerson(inviter);
    await platform.call("POST", "/portal/suggestions/search", { token, json: { organisationIds: ["org_harbour"] } });
    const json = { organisationId: "org_harbour", people: [createPerson(index)] };
    expect((await platform.call("POST", "/portal/invitations", { token, json })).status).toBe(201);
    const { mails } = (await platform.call("GET", "/portal/mailbox", { token })).json<{
      mails: { to: string; body: string }[];
    }>();
    const { body = "" } = mails.find(({ to }) => to === createPerson(index).emailAddress) ?? {};
    const link = new URL(/^https?:\S+$/m.exec(body)?.[0] ?? "");
    expect(link.origin).toBe(platform.address);
    return link.pathname;
  }
  const openVisitor = (): PageClient => openPageClient(platform.address, "/app/sign-in");
  const listContactRequests = () => receiver.requests.filter(({ url }) => url.startsWith("/contact/new/"));
  const join = (path: string, fields: Record<string, string> = {}) =>
    openVisitor().send(path, { name: "Dana Kim", password: "a long password", timeZone: "Pacific/Chatham", ...fields });

  test("an invitation link adds the person as a worker, and sends the organisation a webhook [D-122]", async () => {
    const path = await invite(0);
    const client = openVisitor();
    const { status, text } = await client.get(path);
    expect(status).toBe(200);
    expect(text).toContain("Hana Lind at Harbour Hotels invites you");
    expect(text).toContain("Dana0@example.com");
    const fields = { name: "Dana Kim", password: "a long password", timeZone: "Pacific/Chatham" };
    expect(await client.send(path, fields)).toMatchObject({ status: 303, location: "/app" });
    // The device is known from now on (D-153).
    expect(client.cookie()).toContain("offers-device-");
    const home = (await client.get("/app")).text;
    expect(home).toContain("You now share your availability with Harbour Hotels.");
    expect(home).toContain("Pacific/Chatham");
    await eventually("the webhook arrives", async () => listContactRequests().length === 1);
    expect(listContactRequests()[0]?.url).toMatch(/^\/contact\/new\/worker_[0-9a-f-]{36}$/);
    const otherClient = openPageClient(platform.address, "/app/sign-in");
    const credentials = { name: "dana0@EXAMPLE.com", password: "a long password" };
    expect((await otherClient.send("/app/sign-in", credentials)).status).toBe(303);
    const hana = openPageClient(platform.address);
    await hana.signIn("hana@harbour-hotels.example");
    expect((await hana.get("/invitations")).text).toContain("Joined");
  });

  test("an invitation link stays valid when its page is opened", async () => {
    const path = await invite(1);
    for (let visit = 0; visit < 3; visit += 1) expect((await openVisitor().get(path)).status).toBe(200);
    expect((await join(path)).status).toBe(303);
  });

  test("an invitation link works once, even for two simultaneous requests [D-122]", async () => {
    const path = await invite(2);
    const countBefore = listContactRequests().length;
    const statuses = (await Promise.all([join(path), join(path)])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(1);
    expect((await join(path)).status).toBe(404);
    expect((await openVisitor().get(path)).status).toBe(404);
    await eventually("the webhook arrives", async () => listContactRequests().length === countBefore + 1);
  });

  test("an address with a letter that only looks like another is another worker's, who can sign in with it [D-164]", async () => {
    const passwords = ["the first password", "the second password"];
    for (const [index, password] of passwords.entries()) {
      const path = await invite(10 + index, ["hana@harbour-hotels.example", "bo@bistro-group.example"][index]);
      expect((await openVisitor().get(path)).text).toContain("Choose a password");
      expect(await join(path, { password })).toMatchObject({ status: 303 });
    }
    const signIn = async (name: string, password: string) =>
      (await openVisitor().send("/app/sign-in", { name, password })).status;
    expect(await signIn("KIM@EXAMPLE.com", passwords[0] ?? "")).toBe(303);
    expect(await signIn(kims[1], passwords[1] ?? "")).toBe(303);
    expect(await signIn(kims[1], passwords[0] ?? "")).toBe(401);
  });

  test("an invitation link hashes one password at a time, and the other requests get 429 with Retry-After [D-55]", async () => {
    const path = await invite(9);
    const [signal, release] = createSignal();
    hold = signal;
    // If an assertion fails, later tests must not wait.
    onTestFinished(release);
    const hashCountBefore = hashCount;
    const responses: PageResponse[] = [];
    const requests = Array.from({ length: 20 }, async () => void responses.push(await join(path)));
    // All requests but one are answered while the first password is being hashed.
    await eventually("the others are rejected", async () => responses.length === 19);
    expect(hashCount - hashCountBefore).toBe(1);
    for (const { status, headers } of responses) expect([status, headers.get("retry-after")]).toEqual([429, "1"]);
    release();
    await Promise.all(requests);
    expect(responses[19]?.status).toBe(303);
  });

  test("an invitation link stays valid when a field is invalid, and the page shows the error at that field", async () => {
    const path = await invite(3);
    const { status, text } = await join(path, { password: "short" });
    expect(status).toBe(422);
    expect(text).toContain('aria-describedby="password-hint password-error"');
    expect((await join(path)).status).toBe(303);
  });

  test("an invitation link asks a person who joined before for their password [D-122]", async () => {
    expect((await join(await invite(4))).status).toBe(303);
    const path = await invite(4, "bo@bistro-group.example");
    expect((await openVisitor().get(path)).text).toContain('autocomplete="current-password"');
    expect((await join(path, { password: "not the password" })).status).toBe(401);
    expect(await join(path)).toMatchObject({ status: 303, location: "/app" });
  });

  test.each(["/app/join/x", `/app/join/${"A".repeat(43)}`])("an unknown invitation link gets 404: %s", async (path) => {
    const { status, text } = await openVisitor().get(path);
    expect(status).toBe(404);
    expect(text).toContain("The invitation is no longer valid");
  });

  test("an invitation link works only for the invited address, and does not redirect to another site", async () => {
    const path = await invite(6);
    const forgedFields = { emailAddress: "eve@evil.example", workerId: "worker_amal", next: "https://evil.example/" };
    const client = openVisitor();
    const fields = { name: "Dana Kim", password: "a long password", timeZone: "UTC", ...forgedFields };
    expect(await client.send(`${path}?next=//evil.example`, fields)).toMatchObject({ status: 303, location: "/app" });
    const credentials = { password: "a long password" };
    for (const name of ["eve@evil.example", "worker_amal"])
      expect((await openVisitor().send("/app/sign-in", { ...credentials, name })).status).toBe(401);
    expect((await openVisitor().send("/app/sign-in", { ...credentials, name: "dana6@example.com" })).status).toBe(303);
  });

  test("an invitation link stays valid after forged requests", async () => {
    const path = await invite(7);
    const fields = { name: "Dana Kim", password: "a long password", timeZone: "UTC" };
    for (const forged of [
      { headers: { "Sec-Fetch-Site": "cross-site" } },
      { headers: { Origin: "http://evil.example" } },
      { formToken: "" },
      { formToken: await openVisitor().formToken() },
    ])
      expect((await openVisitor().send(path, fields, forged)).status).toBe(403);
    expect((await join(path)).status).toBe(303);
  });

  test("the page of an invitation link is not cached, hides the link from other sites, and escapes names", async () => {
    const path = await invite(8);
    const { headers } = await openVisitor().get(path);
    expect(headers.get("cache-control")).toContain("no-store");
    expect(headers.get("referrer-policy")).toMatch(/no-referrer|same-origin/);
    for (const name of ["Dana\r\nBcc: eve@evil.example", "Dana\u202eevil", "\u200b"])
      expect((await join(path, { name })).status, JSON.stringify(name)).toBe(422);
    const client = openVisitor();
    const fields = { name: "<script>alert(1)</script>", password: "a long password", timeZone: "UTC" };
    expect((await client.send(path, fields)).status).toBe(303);
    expect((await client.get("/app")).text).not.toContain("<script>alert");
  });

  // This runs last, because it moves the clock.
  test("an invitation link expires after 14 days [D-122]", async () => {
    const path = await invite(5);
    clockMs += 14 * dayMs - 1_000;
    expect((await openVisitor().get(path)).status).toBe(200);
    clockMs += 2_000;
    expect((await join(path)).status).toBe(404);
  });
});
