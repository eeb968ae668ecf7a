import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";

describe("a dropped connection", () => {
  let fixture: PagesFixture;
  let proxy: TcpProxy;
  beforeAll(async () => {
    fixture = await openPagesFixture();
    proxy = await openTcpProxy(fixture.platform.address);
  });
  afterAll(async () => {
    await proxy.close();
    await fixture.close();
  });

  test("misses nothing: changes made meanwhile appear without a reload", async () => {
    const offer = await fixture.createOffer("Kitchen help on Friday");
    const through = { baseURL: proxy.address };
    const [hirer, amal] = await Promise.all([fixture.openPortal(through), fixture.openApp(through)]);
    await hirer.page.goto(`/offers/${offer}`);
    await amal.page.getByRole("link", { name: "Kitchen help on Friday" }).waitFor();
    // Each stream first receives an event, so that it can resume after it.
    await fixture.respond("worker_cleo", "reject", offer);
    await hirer.page.getByRole("row", { name: /Cleo.*Rejected/ }).waitFor();
    await fixture.createOffer("Breakfast on Sunday");
    await amal.page.getByRole("link", { name: "Breakfast on Sunday" }).waitFor();
    for (const { page } of [hirer, amal]) await page.evaluate(() => document.body.setAttribute("data-same-page", ""));
    proxy.sent = "";

    proxy.cut();
    for (const { page } of [hirer, amal]) await page.getByText("Connection lost; reconnecting.").waitFor();
    await fixture.respond("worker_amal", "apply", offer);
    await fixture.respond("worker_ben", "reject", offer);
    await fixture.createOffer("Bar on Saturday");
    proxy.restore();

    await hirer.page.getByRole("row", { name: /Amal.*Applied/ }).waitFor();
    await hirer.page.getByRole("row", { name: /Ben.*Rejected/ }).waitFor();
    await amal.page.getByRole("link", { name: "Bar on Saturday" }).waitFor();
    expect(await amal.page.locator("#main").getByRole("link", { name: "new" }).count()).toBe(3);
    await amal.page.getByRole("link", { name: "Notifications 2 new" }).waitFor();
    for (const { page } of [hirer, amal]) {
      expect(await page.locator("body[data-same-page]").count()).toBe(1);
      expect(await page.getByText("Connection lost").count()).toBe(0);
    }
    const resumed = [...proxy.sent.matchAll(/^GET (\/(?:app\/)?live)\S* [\s\S]*?^last-event-id: (\S+)/gim)];
    expect(new Set(resumed.map(([, path]) => path))).toEqual(new Set(["/live", "/app/live"]));
  });

  test("leads to the sign-in when it returns after a sign-out elsewhere", async () => {
    const { page, context } = await fixture.openApp({ baseURL: proxy.address }, "worker_dana");
    const other = await context.newPage();
    await other.goto("/app");
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/app/sign-in**");
  });
});
