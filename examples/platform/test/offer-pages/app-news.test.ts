import { describe, expect, test } from "vitest";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

const platform = usePlatform();

async function createOffer(title: string): Promise<string> {
  const events = [{ start: "2099-03-05T17:00:00Z", end: "2099-03-05T23:00:00Z" }];
  const json = { createdByUserId: "user_hana", title, workerIds: ["worker_amal"], events };
  return (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>().id;
}

describe("news for workers [D-118]", () => {
  const amal = usePageClient(platform, "worker_amal", "/app/sign-in");
  /** Returns the offer titles above the menu. */
  const extractTitles = (text: string): string[] =>
    [...(text.split('id="menu"')[0] ?? "").matchAll(/<span class="what"><strong>([^<]+)<\/strong>/g)].map(
      ([, title = ""]) => title,
    );

  test("new offers are counted in the title and the navigation, and the latest offer is shown on other pages until it is opened", async () => {
    const pageBefore = await amal.get("/app/shifts");
    expect(pageBefore.text).toContain("<title>Shifts ·");
    expect(pageBefore.text).not.toContain("New offer:");
    const firstId = await createOffer("Kitchen help");
    const secondId = await createOffer("Bar on Friday");
    for (const path of ["/app/shifts", "/app/contacts", "/app/devices"]) {
      const { text } = await amal.get(path);
      expect(text).toMatch(/<title>\(2\) /);
      expect(text).toContain('<span class="count">2<span class="unseen"> new</span></span>');
      expect(text).toContain(`New offer: <a href="/app/offers/${secondId}">Bar on Friday</a>`);
    }
    const menu = (await amal.get("/app")).text;
    expect(menu).toContain("<title>(2) Notifications");
    expect(menu).not.toContain("New offer:");
    const offerPage = await amal.get(`/app/offers/${secondId}`);
    expect(offerPage.text).toContain("<title>(1) Bar on Friday");
    expect(offerPage.text).toContain(`New offer: <a href="/app/offers/${firstId}">Kitchen help</a>`);
    await amal.get(`/app/offers/${firstId}`);
    expect((await amal.get("/app/shifts")).text).toContain("<title>Shifts ·");
  });

  test("the app lists the newest offers first, even if many offers are open", async () => {
    for (let number = 1; number <= 25; number += 1) await createOffer(`Open ${number}`);
    const { text } = await amal.get("/app");
    expect(extractTitles(text).slice(0, 2)).toEqual(["Open 25", "Open 24"]);
  });
});

test("the worker app has a manifest, so phones can install it", async () => {
  const response = await fetch(`${platform.address}/app/sign-in`);
  const html = await response.text();
  expect(response.headers.get("content-security-policy")).toContain("manifest-src 'self'");
  // Without the attribute, browsers send no cookies, so a proxy that requires a sign-in redirects the request.
  const path = /<link rel="manifest" crossorigin="use-credentials" href="([^"]+)">/.exec(html)?.[1] ?? "";
  const manifest = await fetch(platform.address + path);
  expect(manifest.headers.get("content-type")).toMatch(/^application\/manifest\+json/);
  const { start_url, display, icons } = await manifest.json();
  expect([start_url, display]).toEqual(["/app", "standalone"]);
  const icon = await fetch(new URL(icons[0].src, platform.address + path));
  expect(icon.headers.get("content-type")).toMatch(/^image\/svg\+xml/);
  expect(await (await fetch(`${platform.address}/sign-in`)).text()).not.toContain("manifest");
});
