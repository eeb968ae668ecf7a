import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cable, openCable } from "../support/cable.ts";
import { openPagesStage, type PagesStage } from "./pages-stage.ts";

describe("a dropped connection", () => {
  let stage: PagesStage;
  let cable: Cable;
  beforeAll(async () => {
    stage = await openPagesStage();
    cable = await openCable(stage.platform.address);
  });
  afterAll(async () => {
    await cable.close();
    await stage.close();
  });

  test("misses nothing: what happened meanwhile is there, without a reload", async () => {
    const offer = await stage.createOffer("Kitchen help on Friday");
    const through = { baseURL: cable.address };
    const [hirer, amal] = await Promise.all([stage.openPortal(through), stage.openApp(through)]);
    await hirer.page.goto(`/offers/${offer}`);
    await amal.page.getByRole("link", { name: "Kitchen help on Friday" }).waitFor();
    // Something is heard on each stream first, so that there is a last event to go on after.
    await stage.respond("worker_cleo", "reject", offer);
    await hirer.page.getByRole("row", { name: /Cleo.*Rejected/ }).waitFor();
    await stage.createOffer("Breakfast on Sunday");
    await amal.page.getByRole("link", { name: "Breakfast on Sunday" }).waitFor();
    for (const { page } of [hirer, amal]) await page.evaluate(() => document.body.setAttribute("data-same-page", ""));
    cable.sent = "";

    cable.cut();
    for (const { page } of [hirer, amal]) await page.getByText("Connection lost; reconnecting.").waitFor();
    await stage.respond("worker_amal", "apply", offer);
    await stage.respond("worker_ben", "reject", offer);
    await stage.createOffer("Bar on Saturday");
    cable.mend();

    await hirer.page.getByRole("row", { name: /Amal.*Applied/ }).waitFor();
    await hirer.page.getByRole("row", { name: /Ben.*Rejected/ }).waitFor();
    await amal.page.getByRole("link", { name: "Bar on Saturday" }).waitFor();
    expect(await amal.page.getByRole("link", { name: "New offer" }).count()).toBe(3);
    for (const { page } of [hirer, amal]) {
      expect(await page.locator("body[data-same-page]").count()).toBe(1);
      expect(await page.getByText("Connection lost").count()).toBe(0);
    }
    const resumed = [...cable.sent.matchAll(/^GET (\/(?:app\/)?live)\S* [\s\S]*?^last-event-id: (\S+)/gim)];
    expect(new Set(resumed.map(([, path]) => path))).toEqual(new Set(["/live", "/app/live"]));
  });

  test("that comes back after signing out elsewhere leads to the sign-in", async () => {
    const { page, context } = await stage.openApp({ baseURL: cable.address }, "worker_dana");
    const other = await context.newPage();
    await other.goto("/app");
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/app/sign-in**");
  });
});
