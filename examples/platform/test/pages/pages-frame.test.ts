import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, test } from "vitest";
import { openPlatform } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";
import { openPageClient } from "./page-client.ts";

const hanaAddress = "hana@harbour-hotels.example";
const [store] = await anyStore();
const platform = usePlatform();
const client = usePageClient(platform, hanaAddress);

describe("signing in", () => {
  test("signing in redirects to the requested page", async () => {
    const guest = openPageClient(platform.address);
    expect(await guest.get("/mailbox?page=2")).toMatchObject({
      status: 303,
      location: "/sign-in?next=%2Fmailbox%3Fpage%3D2",
    });
    const fields = { name: hanaAddress, password: "demo-password", next: "/mailbox?page=2" };
    expect(await guest.send("/sign-in", fields)).toMatchObject({ status: 303, location: "/mailbox?page=2" });
  });

  test.each(["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", ""])(
    "signing in never redirects to %j",
    async (next) => {
      const guest = openPageClient(platform.address);
      const response = await guest.send("/sign-in", { name: hanaAddress, password: "demo-password", next });
      expect(response).toMatchObject({ status: 303, location: "/" });
    },
  );

  test("a sign-in form with a wrong password preserves the name, but not the password", async () => {
    const response = await openPageClient(platform.address).send("/sign-in", {
      name: hanaAddress,
      password: "wrong-password",
    });
    expect(response.status).toBe(401);
    expect(response.text).toContain(`value="${hanaAddress}"`);
    expect(response.text).not.toContain("wrong-password");
  });

  test("signing in creates a new session cookie and a new form token", async () => {
    const guest = openPageClient(platform.address);
    const before = [await guest.formToken(), guest.cookie()];
    await guest.signIn(hanaAddress);
    const after = [await guest.formToken(), guest.cookie()];
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  test("the session cookie cannot be used by scripts or by other sites' forms [D-80]", async () => {
    const { headers } = await openPageClient(platform.address).get("/sign-in");
    expect(headers.get("set-cookie")).toMatch(/^offers-portal-[\da-f]{8}=[^;]+; /);
    expect(headers.get("set-cookie")).toMatch(/HttpOnly/);
    expect(headers.get("set-cookie")).toMatch(/SameSite=Lax/);
    expect(headers.get("set-cookie")).toMatch(/Path=\//);
  });

  test("two platforms on one host do not replace each other's cookies, which a browser shares between ports [D-80]", async () => {
    const database = await store.createDatabase();
    const otherPlatform = await openPlatform(database);
    const cookieNames: string[] = [];
    for (const { address } of [platform, otherPlatform]) {
      const guest = openPageClient(address);
      await guest.signIn(hanaAddress);
      cookieNames.push(...(guest.cookie().match(/[^ ;=]+(?==)/g) ?? []));
    }
    expect(new Set(cookieNames).size).toBe(4);
    await otherPlatform.close();
    await database.remove();
  });

  test("a copied session cookie is invalid after the user signs out [D-80]", async () => {
    const guest = openPageClient(platform.address);
    await guest.signIn(hanaAddress);
    const oldCookie = guest.cookie();
    expect(await guest.send("/sign-out")).toMatchObject({ status: 303, location: "/sign-in" });
    expect((await guest.get("/sign-in")).text).toContain("You have been signed out.");
    expect((await openPageClient(platform.address).get("/offers", { Cookie: oldCookie })).status).toBe(303);
  });
});

describe("forms", () => {
  const forgeries = [
    ["without a token", { formToken: "" }],
    ["with an invalid token", { formToken: "x".repeat(32) }],
    ["from another site", { headers: { "Sec-Fetch-Site": "cross-site" } }],
    ["from another host of the site", { headers: { "Sec-Fetch-Site": "same-site" } }],
    ["from another origin", { headers: { Origin: "http://evil.example" } }],
    ["from an opaque origin", { headers: { Origin: "null" } }],
  ] as const;

  test.each(forgeries)("a form %s is rejected", async (_, options) => {
    expect((await client.send("/sign-out", {}, options)).status).toBe(403);
    expect((await client.send("/sign-in", { name: hanaAddress, password: "demo-password" }, options)).status).toBe(403);
    expect((await client.get("/")).location).toBe("/offers");
  });

  /** Sends the sign-in form with its token and these headers, which `fetch` would not all send. @returns the status */
  async function signInWith(headers: Record<string, string>, formToken?: string): Promise<number> {
    const guest = openPageClient(platform.address);
    const form = { formToken: formToken ?? (await guest.formToken()), name: hanaAddress, password: "demo-password" };
    const outgoing = request(`${platform.address}/sign-in`, {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Cookie: guest.cookie(), ...headers },
    });
    outgoing.end(new URLSearchParams(form).toString());
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  }

  test.each([
    ["intranet:80", "http://intranet"],
    ["intranet", "http://intranet:80"],
    ["intranet:443", "https://intranet"],
    ["Intranet:8080", "http://intranet:8080"],
    ["[::1]:80", "http://[::1]"],
  ])("a form for the host %s is accepted from %s, which is the same origin [D-81]", async (Host, Origin) => {
    expect(await signInWith({ Host, Origin })).toBe(303);
  });

  test.each([
    ["intranet:8080", "http://intranet"],
    ["intranet:80", "https://intranet"],
    ["intranet:443", "http://intranet"],
    ["intranet", "http://intranet.evil.example"],
    ["intranet", "foo://intranet"],
    ["intranet", "intranet"],
    ["intranet", ""],
  ])("a form for the host %s is rejected from %j, which is a different origin [D-81]", async (Host, Origin) => {
    expect(await signInWith({ Host, Origin })).toBe(403);
  });

  test("a form without a referrer is accepted only if the browser reports it as same-origin [D-81]", async () => {
    // With `Referrer-Policy: no-referrer`, which a proxy may add, browsers send `Origin: null` with the pages' own forms.
    const statusFrom = (site: string | undefined, formToken?: string) =>
      signInWith({ Origin: "null", ...(site !== undefined && { "Sec-Fetch-Site": site }) }, formToken);
    expect(await statusFrom("same-origin")).toBe(303);
    for (const site of [undefined, "", "none", "same-site", "cross-site", "same-origin, cross-site", "Same-Origin"])
      expect([site, await statusFrom(site)]).toEqual([site, 403]);
    expect(await statusFrom("same-origin", "x".repeat(32))).toBe(403);
  });

  test("a form with another session's token is rejected", async () => {
    const otherClient = openPageClient(platform.address);
    await otherClient.signIn(hanaAddress);
    expect((await client.send("/sign-out", {}, { formToken: await otherClient.formToken() })).status).toBe(403);
  });

  test("a form with a different media type is rejected", async () => {
    const headers = { "Content-Type": "text/plain" };
    expect((await client.send("/sign-out", {}, { headers })).status).toBe(415);
  });
});

describe("every page", () => {
  test("every page has security headers", async () => {
    const { headers } = await client.get("/sign-in");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';" +
        "base-uri 'none';frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("strict-transport-security")).toBeNull();
  });

  test("pages do not contain inline scripts or styles", async () => {
    const { text } = await client.get("/sign-in");
    expect(text).not.toMatch(/<style|style="|<script(?! type="module" src="\/assets\/)|\son\w+="/);
  });

  test("pages refer to files that browsers may cache for a year", async () => {
    const { text } = await client.get("/sign-in");
    const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      const { status, headers } = await client.get(path);
      expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    }
    expect((await client.get("/assets/styles.css")).status).toBe(404);
  });

  test("an unknown path gets an HTML page for a browser and a problem for a program", async () => {
    const page = await client.get("/nowhere");
    expect([page.status, page.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    const problem = await client.get("/nowhere", { Accept: "*/*" });
    expect([problem.status, problem.headers.get("content-type")]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ]);
  });
});

test("the API accepts no cookie, and the pages accept no key or bearer token", async () => {
  expect((await client.get("/offer/x")).status).toBe(401);
  expect((await client.get("/portal/offers")).status).toBe(401);
  const token = await platform.signInPerson(hanaAddress);
  const guest = openPageClient(platform.address);
  expect((await guest.get("/offers", { Authorization: `Bearer ${token}` })).status).toBe(303);
  expect((await guest.get("/offers", { "X-UE-Api-Subscription-Key": "demo-key-harbour" })).status).toBe(303);
});

test("behind https, every response requires https from then on, and no response is sniffed [D-161]", async () => {
  const database = await store.createDatabase();
  const settings = { publicOrigin: "https://offers.example", allowedHosts: ["offers.example"] };
  const securePlatform = await openPlatform(database, settings);
  const paths = [
    "/offer/none",
    "/events",
    "/portal/session",
    "/worker-app/offers/none",
    "/healthz",
    "/docs",
    "/sign-in",
  ];
  for (const path of [...paths, "/nowhere", "/%ff", "/assets/none.css"]) {
    const { headers } = await fetch(securePlatform.address + path, { redirect: "manual" });
    expect([path, headers.get("strict-transport-security")]).toEqual([path, expect.stringContaining("max-age=")]);
    expect([path, headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
  }
  await securePlatform.close();
  await database.remove();
});

test("behind https, the session cookie is restricted to this host and https [D-80]", async () => {
  const database = await store.createDatabase();
  const securePlatform = await openPlatform(database, { publicOrigin: "https://offers.example" });
  const { headers } = await openPageClient(securePlatform.address).get("/sign-in");
  expect(headers.get("set-cookie")).toMatch(/^__Host-offers-portal-[\da-f]{8}=.*; Secure/);
  expect(headers.get("strict-transport-security")).toContain("max-age=");
  const fields = { name: hanaAddress, password: "demo-password" };
  const send = (origin: string) =>
    openPageClient(securePlatform.address).send("/sign-in", fields, { headers: { Origin: origin } });
  expect((await send("https://offers.example")).status).toBe(303);
  expect((await send(securePlatform.address)).status).toBe(403);
  await securePlatform.close();
  await database.remove();
});

test("the text direction of user input is isolated from the text around it [D-89]", async () => {
  const title = "Bar \u202e\u2067on Sunday";
  const json = { createdByUserId: "user_hana", title, workerIds: ["worker_amal"] };
  const { id } = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>();
  const [, stylesheet = ""] = /href="(\/assets\/[^"]+\.css)"/.exec((await client.get("/offers")).text) ?? [];
  const styles = (await client.get(stylesheet)).text;
  const isolatedElements = /:where\(([^)]*)\) \{\s*unicode-bidi: isolate;/.exec(styles)?.[1]?.split(", ") ?? [];
  for (const path of ["/offers", `/offers/${id}`]) {
    // The string must be the only content of its element.
    const { text } = await client.get(path);
    const elements = [...text.matchAll(/<(\w+)[^>]*>Bar \u202e\u2067on Sunday<\/\1>/g)].map(([, name]) => name);
    expect(elements).not.toEqual([]);
    for (const name of elements) expect([...isolatedElements, "title"]).toContain(name);
  }
});
