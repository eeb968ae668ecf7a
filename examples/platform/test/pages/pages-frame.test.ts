import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type StorePlace } from "../support/stores/stores.ts";
import { openVisitor, type PageVisitor } from "./page-visitor.ts";

const hana = "hana@harbour-hotels.example";
const [store] = await anyStore();
let place: StorePlace;
let platform: PlatformUnderTest;
let visitor: PageVisitor;

beforeAll(async () => {
  if (store === undefined) throw new Error("there is always a store");
  place = await store.createPlace();
  platform = await openPlatform(place);
  visitor = openVisitor(platform.address);
  await visitor.signIn(hana);
});
afterAll(async () => {
  await platform.close();
  await place.remove();
});

describe("signing in", () => {
  test("leads where the person wanted to go", async () => {
    const guest = openVisitor(platform.address);
    expect(await guest.get("/mailbox?page=2")).toMatchObject({
      status: 303,
      location: "/sign-in?next=%2Fmailbox%3Fpage%3D2",
    });
    const fields = { name: hana, password: "demo-password", next: "/mailbox?page=2" };
    expect(await guest.send("/sign-in", fields)).toMatchObject({ status: 303, location: "/mailbox?page=2" });
  });

  test.each(["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", ""])(
    "never leads to %j",
    async (next) => {
      const guest = openVisitor(platform.address);
      const response = await guest.send("/sign-in", { name: hana, password: "demo-password", next });
      expect(response).toMatchObject({ status: 303, location: "/" });
    },
  );

  test("with a wrong password keeps what was typed, but not the password", async () => {
    const response = await openVisitor(platform.address).send("/sign-in", { name: hana, password: "wrong-password" });
    expect(response.status).toBe(401);
    expect(response.text).toContain(`value="${hana}"`);
    expect(response.text).not.toContain("wrong-password");
  });

  test("gives the session a new cookie and a new form token", async () => {
    const guest = openVisitor(platform.address);
    const before = [await guest.formToken(), guest.cookie()];
    await guest.signIn(hana);
    const after = [await guest.formToken(), guest.cookie()];
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  test("makes a cookie that no script and no other site's form can use", async () => {
    const { headers } = await openVisitor(platform.address).get("/sign-in");
    expect(headers.get("set-cookie")).toMatch(/^offers-portal=[^;]+; /);
    expect(headers.get("set-cookie")).toMatch(/HttpOnly/);
    expect(headers.get("set-cookie")).toMatch(/SameSite=Lax/);
    expect(headers.get("set-cookie")).toMatch(/Path=\//);
  });

  test("ends with signing out, also for who kept the cookie", async () => {
    const guest = openVisitor(platform.address);
    await guest.signIn(hana);
    const kept = guest.cookie();
    expect(await guest.send("/sign-out")).toMatchObject({ status: 303, location: "/sign-in" });
    expect((await guest.get("/sign-in")).text).toContain("You are signed out.");
    expect((await openVisitor(platform.address).get("/offers", { Cookie: kept })).status).toBe(303);
  });
});

describe("a form", () => {
  const forgeries = [
    ["without a token", { formToken: "" }],
    ["with a wrong token", { formToken: "x".repeat(32) }],
    ["from another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
    ["from another host of the site", { headers: { "Sec-Fetch-Site": "same-site" } }],
    ["from another origin", { headers: { Origin: "http://evil.example" } }],
    ["from nowhere", { headers: { Origin: "null" } }],
  ] as const;

  test.each(forgeries)("%s is refused", async (_, options) => {
    expect((await visitor.send("/sign-out", {}, options)).status).toBe(403);
    expect((await visitor.send("/sign-in", { name: hana, password: "demo-password" }, options)).status).toBe(403);
    expect((await visitor.get("/")).location).toBe("/offers");
  });

  test("with the token of another session is refused", async () => {
    const other = openVisitor(platform.address);
    await other.signIn(hana);
    expect((await visitor.send("/sign-out", {}, { formToken: await other.formToken() })).status).toBe(403);
  });

  test("of another kind is refused", async () => {
    const headers = { "Content-Type": "text/plain" };
    expect((await visitor.send("/sign-out", {}, { headers })).status).toBe(415);
  });
});

describe("every page", () => {
  test("is protected by headers", async () => {
    const { headers } = await visitor.get("/sign-in");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';" +
        "base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("has neither script nor style within", async () => {
    const { text } = await visitor.get("/sign-in");
    expect(text).not.toMatch(/<style|style="|<script(?! type="module" src="\/assets\/)|\son\w+="/);
  });

  test("names files that may be kept for ever", async () => {
    const { text } = await visitor.get("/sign-in");
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const { status, headers } = await visitor.get(path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
    expect((await visitor.get("/assets/styles.css")).status).toBe(404);
  });

  test("that is nowhere is a page to a person and a problem to a program", async () => {
    const page = await visitor.get("/nowhere");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const problem = await visitor.get("/nowhere", { Accept: "*/*" });
    expect([problem.status, problem.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ]);
  });
});

test("the API takes no cookie, and the pages neither a key nor a bearer token", async () => {
  expect((await visitor.get("/offer/x")).status).toBe(401);
  expect((await visitor.get("/portal/offers")).status).toBe(401);
  const token = await platform.signInPerson(hana);
  const guest = openVisitor(platform.address);
  expect((await guest.get("/offers", { Authorization: `Bearer ${token}` })).status).toBe(303);
  expect((await guest.get("/offers", { "X-UE-Api-Subscription-Key": "demo-key-harbour" })).status).toBe(303);
});

test("behind https the cookie is for this host and https alone", async () => {
  const other = await store?.createPlace();
  if (other === undefined) throw new Error("there is always a store");
  const secure = await openPlatform(other, { publicOrigin: "https://offers.example" });
  const { headers } = await openVisitor(secure.address).get("/sign-in");
  expect(headers.get("set-cookie")).toMatch(/^__Host-offers-portal=.*; Secure/);
  expect(headers.get("strict-transport-security")).toContain("max-age=");
  const fields = { name: hana, password: "demo-password" };
  const send = (origin: string) =>
    openVisitor(secure.address).send("/sign-in", fields, { headers: { Origin: origin } });
  expect((await send("https://offers.example")).status).toBe(303);
  expect((await send(secure.address)).status).toBe(403);
  await secure.close();
  await other.remove();
});

test("the direction of each text is isolated from the text beside it", async () => {
  const title = "Bar \u202e\u2067on Sunday";
  const json = { createdByUserId: "user_hana", title, workerIds: ["worker_amal"] };
  const { id } = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>();
  const [, stylesheet = ""] = /href="(\/assets\/[^"]+\.css)"/.exec((await visitor.get("/offers")).text) ?? [];
  const styles = (await visitor.get(stylesheet)).text;
  const isolated = /:where\(([^)]*)\) \{\s*unicode-bidi: isolate;/.exec(styles)?.[1]?.split(", ") ?? [];
  for (const path of ["/offers", `/offers/${id}`]) {
    // Alone in its element.
    const { text } = await visitor.get(path);
    const elements = [...text.matchAll(/<(\w+)[^>]*>Bar \u202e\u2067on Sunday<\/\1>/g)].map(([, name]) => name);
    expect(elements).not.toEqual([]);
    for (const name of elements) expect([...isolated, "title"]).toContain(name);
  }
});
