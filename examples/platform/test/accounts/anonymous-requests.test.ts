import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { listMountedRoutes, usesToken } from "../pages/mounted-routes.ts";
import { openPageClient, type PageClient } from "../pages/page-client.ts";
import { usePlatform } from "../support/use-opened.ts";

const hanaAddress = "hana@harbour-hotels.example";
const formRoutes = listMountedRoutes().filter((route) => route.method === "POST" && !usesToken(route));
const sessionPaths = ["/portal/session", "/worker-app/session"];
const formHeaders = { Accept: "text/html", "Content-Type": "application/x-www-form-urlencoded" };
const jsonHeaders = { "Content-Type": "application/json" };
const gzip = { "Content-Encoding": "gzip" };
/** The id of a worker who joined through an invitation. */
const workerId = (index: number): string => `worker_00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
const selectWorkers = (count: number): string[] => Array.from({ length: count }, (_, index) => workerId(index));

describe("the size of an anonymous request", () => {
  const platform = usePlatform({ settings: { bodyLimitBytes: 1024 * 1024 } });
  const post = (path: string, headers: Record<string, string>, body: string | Uint8Array) =>
    fetch(platform.address + path, { method: "POST", headers, body: body as BodyInit });

  test.each(formRoutes)(
    "no form is decompressed, or read beyond 64 KiB or 2,000 fields: $path [D-154]",
    async ({ path }) => {
      const inflating = await post(path, { ...formHeaders, ...gzip }, gzipSync("a=&".repeat(100)));
      expect(inflating.status).toBe(415);
      for (const body of [`a=${"x".repeat(64 * 1024)}`, "a=&".repeat(2_000)])
        expect((await post(path, formHeaders, body)).status).toBe(413);
    },
  );

  test.each(sessionPaths)("no sign-in is decompressed, or read beyond 16 KiB: %s [D-154]", async (path) => {
    expect((await post(path, { ...jsonHeaders, ...gzip }, gzipSync("[".repeat(1_000)))).status).toBe(415);
    expect((await post(path, jsonHeaders, "[".repeat(16 * 1024 + 1))).status).toBe(413);
  });

  test("a sign-in form with the longest input is read, and a longer page to return to is ignored [D-154]", async () => {
    const guest = openPageClient(platform.address);
    // Each character takes nine bytes in a form. The path takes as many as possible.
    const longPath = `/offers?q=${"%E6%98%9F".repeat(330)}`;
    const fields = { name: "星".repeat(100), password: "星".repeat(500), next: longPath };
    expect((await guest.send("/sign-in", fields)).status).toBe(401);
    const { text } = await guest.get(`/sign-in?next=${encodeURIComponent(`${longPath}${"x".repeat(100)}`)}`);
    expect(text).toContain('name="next" value="/"');
  });

  test("a form for the largest offer is read if it comes from a signed-in user or from their device [D-154]", async () => {
    const hana = openPageClient(platform.address);
    await hana.signIn(hanaAddress);
    const slots = Array.from({ length: 366 }, () => "2099-05-01T16:00");
    const fields = { title: "All", start: slots, end: slots, worker: selectWorkers(10_000), act: "addSlot" };
    expect((await hana.send("/offers/new", fields)).status).toBe(200);
    const formToken = await hana.formToken();
    await hana.send("/sign-out");
    const ended = await hana.send("/offers/new", fields, { formToken });
    expect(ended.status).toBe(401);
    expect(ended.text).toContain(workerId(9_999));
  });

  test("a form with all workers that the page can select together is kept for a stranger [D-147] [D-154]", async () => {
    const fields = { title: "All", worker: selectWorkers(1_000) };
    const { status, text } = await openPageClient(platform.address).send("/offers/new", fields, { formToken: "ended" });
    expect(status).toBe(401);
    expect(text).toContain(workerId(999));
  });

  test("a body for the API is read only after the key is checked [D-154]", async () => {
    const headers = { ...jsonHeaders, ...gzip };
    for (const path of ["/offer", "/offer/none/complete?api-version=1.0", "/events/redeliver"])
      expect((await post(path, headers, "not gzip")).status).toBe(401);
    for (const path of ["/portal/profile/rotation", "/worker-app/devices"])
      expect((await post(path, headers, "not gzip")).status).toBe(401);
  });
});

describe("the number of anonymous requests", () => {
  // A tenth of the reads may be writes: four.
  const settings = { personRateLimit: { count: 40, seconds: 60 }, trustedProxies: 1 };
  const platform = usePlatform({ settings });
  const from = (address: string) => ({ "X-Forwarded-For": address });
  /** Sends a form that is not read if there were too many, since its type is then not checked. */
  const sendForm = (path: string, headers: Record<string, string>) =>
    fetch(platform.address + path, { method: "POST", headers: { Accept: "text/html", ...headers }, body: "text" });
  const signIn = (headers: Record<string, string>) =>
    platform.call("POST", "/portal/session", {
      headers,
      json: { emailAddress: hanaAddress, password: "demo-password" },
    });

  test("forms and sign-ins without a session are counted per network before they are read [D-154]", async () => {
    const statuses = [];
    for (const [index, path] of ["/offers/new", "/sign-in", "/app/join/x", "/app/sign-out"].entries())
      statuses.push((await sendForm(path, from(`2001:db8::${index}`))).status);
    expect(statuses).toEqual([415, 415, 415, 415]);
    const rejected = await sendForm("/offers/new", from("2001:db8::9"));
    expect(rejected.status).toBe(429);
    expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await signIn(from("2001:db8::a"))).status).toBe(429);
    expect((await signIn(from("2001:db8:0:1::1"))).status).toBe(201);
  });

  test("a known device is not counted with its network [D-153]", async () => {
    const network = from("192.0.2.1");
    const cookie = (await signIn(network)).headers
      .getSetCookie()
      .map((text) => text.split(";")[0] ?? "")
      .join("; ");
    for (let count = 0; count < 4; count += 1) await sendForm("/sign-in", network);
    expect((await signIn(network)).status).toBe(429);
    expect((await signIn({ ...network, Cookie: cookie })).status).toBe(201);
  });
});

describe("known devices", () => {
  const settings = { trustedProxies: 1 };
  const platform = usePlatform({ settings });
  const signIn = (address: string, password: string, cookie = "", path = "/portal/session", name = hanaAddress) =>
    platform.call("POST", path, {
      headers: { "X-Forwarded-For": address, Cookie: cookie },
      json: { [path.startsWith("/portal") ? "emailAddress" : "workerId"]: name, password },
    });
  const lockFromEverywhere = async (path: string, name: string): Promise<void> => {
    for (let place = 0; place < 10; place += 1)
      for (let count = 0; count < 10; count += 1) await signIn(`198.51.100.${place}`, "wrong", "", path, name);
    expect((await signIn("192.0.2.1", "demo-password", "", path, name)).status).toBe(429);
  };
  const deviceCookie = (cookies: string): string => /offers-device-\w+=[^;]+/.exec(cookies)?.[0] ?? "";

  test.each([
    ["/portal/session", hanaAddress, "/sign-in", "/sign-out"],
    ["/worker-app/session", "worker_amal", "/app/sign-in", "/app/sign-out"],
  ])(
    "strangers who lock an account do not lock out a device that it has signed in on: %s [D-153]",
    async (path, name, signInPath, signOutPath) => {
      const page = openPageClient(platform.address, signInPath);
      await page.signIn(name);
      await page.send(signOutPath);
      const json = deviceCookie(
        (await signIn("192.0.2.1", "demo-password", "", path, name)).headers.getSetCookie().join(),
      );
      const other = openPageClient(platform.address, signInPath);
      await other.signIn(name === hanaAddress ? "bo@bistro-group.example" : "worker_ben");
      await lockFromEverywhere(path, name);

      // Each page and JSON route accepts the cookie of the other.
      expect((await signIn("198.51.100.1", "demo-password", deviceCookie(page.cookie()), path, name)).status).toBe(201);
      expect((await signIn("198.51.100.1", "demo-password", json, path, name)).status).toBe(201);
      await page.signIn(name);
      // The cookie of a device where someone else signed in does not help, and neither does a forged one.
      for (const cookie of [deviceCookie(other.cookie()), `${json.slice(0, -4)}AAAA`, `${json.split("=")[0]}=x`])
        expect((await signIn("192.0.2.1", "demo-password", cookie, path, name)).status).toBe(429);
    },
  );

  test("a device remembers each account that has signed in on it [D-153]", async () => {
    const office = openPageClient(platform.address);
    await office.signIn("ada@crew-agency.example");
    await office.signIn("bo@bistro-group.example");
    await lockFromEverywhere("/portal/session", "ada@crew-agency.example");
    await office.signIn("ada@crew-agency.example");
  });

  test("the device cookie does not sign anyone in, is hidden from scripts, and fits into a browser after many accounts [D-153]", async () => {
    const client: PageClient = openPageClient(platform.address, "/app/sign-in");
    await client.signIn("worker_dana");
    await client.send("/app/sign-out");
    const cookie = deviceCookie(client.cookie());
    expect(cookie).not.toMatch(/dana/i);
    const page = await fetch(`${platform.address}/app`, { headers: { Cookie: cookie }, redirect: "manual" });
    expect([page.status, page.headers.get("location")]).toEqual([303, "/app/sign-in"]);
    let jar = cookie;
    let header = "";
    for (const name of ["worker_amal", "worker_ben", "worker_cleo", "worker_dana"]) {
      const response = await signIn("203.0.113.1", "demo-password", jar, "/worker-app/session", name);
      header = response.headers.getSetCookie().find((text) => text.startsWith("offers-device-")) ?? "";
      jar = deviceCookie(header);
    }
    expect(header).toMatch(/; HttpOnly(;|$)/);
    expect(header).toMatch(/; SameSite=Lax(;|$)/);
    // RFC 6265bis, 5.5: browsers limit a cookie to 400 days. iron-session subtracts a minute.
    expect(header).toContain(`Max-Age=${400 * 24 * 60 * 60 - 60}`);
  });
});
