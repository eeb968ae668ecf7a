import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";

describe("dropped connections", () => {
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

  test("changes made while the connection is lost appear without a reload", async () => {
    const offerId = await fixture.createOffer("Kitchen help on Friday");
    const throughProxy = { baseURL: proxy.address };
    const [hirer, amal] = await Promise.all([fixture.openPortal(throughProxy), fixture.openApp(throughProxy)]);
    await hirer.page.goto(`/offers/${offerId}`);
    await amal.page.getByRole("link", { name: "Kitchen help on Friday" }).waitFor();
    // Send each stream an event after which it can resume.
    await fixture.respond("worker_cleo", "reject", offerId);
    await hirer.page.getByRole("row", { name: /Cleo.*Rejected/ }).waitFor();
    await fixture.createOffer("Breakfast on Sunday");
    await amal.page.getByRole("link", { name: "Breakfast on Sunday" }).waitFor();
    for (const { page } of [hirer, amal]) await page.evaluate(() => document.body.setAttribute("data-same-page", ""));
    proxy.sent = "";

    proxy.cut();
    for (const { page } of [hirer, amal]) await page.getByText("Connection lost. Reconnecting…").waitFor();
    await fixture.respond("worker_amal", "apply", offerId);
    await fixture.respond("worker_ben", "reject", offerId);
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
    const resumedRequests = [...proxy.sent.matchAll(/^GET (\/(?:app\/)?live)\S* [\s\S]*?^last-event-id: (\S+)/gim)];
    expect(new Set(resumedRequests.map(([, path]) => path))).toEqual(new Set(["/live", "/app/live"]));
  });

  test("an open page redirects to the sign-in page after the user signs out in another tab", async () => {
    const { page, context } = await fixture.openApp({ baseURL: proxy.address }, "worker_dana");
    const otherTab = await context.newPage();
    await otherTab.goto("/app");
    await otherTab.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/app/sign-in**");
  });
});
