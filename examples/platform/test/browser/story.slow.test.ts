import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { secret } from "./integrator.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";
import type { Window } from "./window.ts";

describe("the contract's scenario, in the browser alone", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture();
  });
  afterAll(() => fixture.close());

  type Who = "hirer" | "worker" | "integrator";

  /** How long each update took to appear in another window, measured from before the click. */
  const delays: Record<Who, number[]> = { hirer: [], worker: [], integrator: [] };

  /** Waits until the effect of `act` shows in other windows, without touching them. */
  async function bringsAbout(
    act: () => Promise<unknown>,
    updates: Partial<Record<Who, Locator | Locator[]>>,
  ): Promise<void> {
    const startedAt = performance.now();
    const all = Object.entries(updates).flatMap(([who, shown]) =>
      [shown].flat().map((one) => [who as Who, one] as const),
    );
    const seen = all.map(async ([who, shown]) => {
      // Playwright itself would poll only every half second.
      await eventually(`${who} sees ${shown}`, () => shown.first().isVisible());
      delays[who].push(Math.round(performance.now() - startedAt));
    });
    await act();
    await Promise.all(seen);
  }

  const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function draft(page: Page, title: string): Promise<void> {
    await page.goto("/offers/new");
    await page.getByLabel("Title").fill(title);
    await page.locator("#start-0").fill("2027-03-05T17:00");
    await page.locator("#end-0").fill("2027-03-05T23:00");
    for (const name of ["Amal", "Ben", "Cleo"]) await page.getByRole("checkbox", { name }).check();
  }

  async function create(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Create the offer" }).last().click();
    await page.getByRole("heading", { level: 2, name: "Recipients" }).waitFor();
  }

  async function saveProfile(page: Page, baseAddress: string, itsSecret: string): Promise<void> {
    await page.locator("#baseAddress").fill(baseAddress);
    await page.getByLabel("Secret", { exact: true }).fill(itsSecret);
    await page.getByRole("checkbox", { name: "Suggests contacts" }).check();
    await click(page, "Check and save");
  }

  test("runs in three windows without a reload [D-82]", async () => {
    const [hirer, amal, integrator] = await Promise.all([
      fixture.openPortal(),
      fixture.openApp(),
      fixture.openPortal(),
    ]);
    const [ben, cleo] = [await fixture.openApp({}, "worker_ben"), await fixture.openApp({}, "worker_cleo")];
    const windows: Window[] = [hirer, amal, integrator, ben, cleo];
    const row = ({ page }: Window, words: string) => page.getByRole("row").filter({ hasText: words });
    const acknowledged = (words: string) => row(integrator, words).filter({ hasText: "Acknowledged" });

    // The company profile is saved only if both checks return 200.
    await integrator.page.goto("/company");
    await saveProfile(integrator.page, `${fixture.integrator.baseAddress}/unknown`, secret);
    await integrator.page.getByText("Nothing was changed.").waitFor();
    await saveProfile(integrator.page, fixture.integrator.baseAddress, `${secret}x`);
    await integrator.page.getByText("Nothing was changed.").waitFor();
    await saveProfile(integrator.page, fixture.integrator.baseAddress, secret);
    await integrator.page.getByText("The profile is saved.").waitFor();
    await integrator.page.goto("/deliveries");

    // An offer is sent and receives every kind of response.
    const entry = amal.page.getByRole("link", { name: "Kitchen help on Friday" });
    await draft(hirer.page, "Kitchen help on Friday");
    await bringsAbout(() => create(hirer.page), { worker: entry });
    await bringsAbout(() => entry.click(), { hirer: row(hirer, "Amal").filter({ hasText: "Opened" }) });
    await bringsAbout(() => click(amal.page, "Apply"), {
      hirer: row(hirer, "Amal").filter({ hasText: "Applied" }),
      integrator: acknowledged("Amal Haddad applied for"),
    });
    await ben.page.getByRole("link", { name: "Kitchen help on Friday" }).click();
    await bringsAbout(() => click(ben.page, "Reject"), {
      hirer: row(hirer, "Ben").filter({ hasText: "Rejected" }),
      integrator: acknowledged("Ben Okafor rejected"),
    });
    await cleo.page.getByRole("link", { name: "Kitchen help on Friday" }).click();
    await bringsAbout(() => click(cleo.page, "Close"), {
      hirer: row(hirer, "Cleo").filter({ hasText: "Closed without response" }),
    });
    await hirer.page.getByText("1 applied, 1 rejected, 1 without response").waitFor();
    await eventually("the integrator received both", () => fixture.integrator.responses.length === 2);
    expect(fixture.integrator.responses).toEqual(["worker_amal accepted", "worker_ben rejected"]);

    // The offer is completed, and all workers are notified, including the one who closed it.
    await ben.page.goto("/app");
    await hirer.page.getByRole("checkbox", { name: "Amal" }).check();
    await click(hirer.page, "Complete with selected workers…");
    await hirer.page.getByText("2 other workers are notified that others got the work.").waitFor();
    await bringsAbout(() => click(hirer.page, "Complete the offer"), {
      worker: [
        amal.page.getByText("You got the work."),
        ...[ben, cleo].map(({ page }) => page.getByText("Others got the work")),
      ],
    });
    await hirer.page.getByText("Gets the work").waitFor();

    // Another offer is withdrawn while a worker who applied is viewing it.
    await amal.page.goto("/app");
    const second = amal.page.getByRole("link", { name: "Breakfast on Sunday" });
    await draft(hirer.page, "Breakfast on Sunday");
    await bringsAbout(() => create(hirer.page), { worker: second });
    await second.click();
    await bringsAbout(() => click(amal.page, "Apply"), { hirer: row(hirer, "Amal").filter({ hasText: "Applied" }) });
    await hirer.page.getByRole("link", { name: "Withdraw" }).click();
    await bringsAbout(() => click(hirer.page, "Withdraw the offer"), {
      worker: [
        amal.page.getByText("This offer was withdrawn."),
        ben.page.getByRole("link", { name: "Offer withdrawn" }),
      ],
    });

    // The receiver fails, which the portal shows. It recovers, and nothing is lost.
    fixture.integrator.isWell = false;
    await amal.page.goto("/app/contacts");
    await bringsAbout(() => amal.page.getByRole("button", { name: "Add a contact at Harbour Hotels" }).click(), {
      integrator: row(integrator, "Amal Haddad added").filter({ hasText: "500" }),
    });
    await amal.page.getByText("Harbour Hotels has been notified").waitFor();
    await row(integrator, "Amal Haddad added").filter({ hasText: "Failed" }).first().waitFor();
    fixture.integrator.isWell = true;
    await integrator.page.getByRole("link", { name: "Amal Haddad added" }).click();
    await integrator.page
      .getByRole("button", { name: /again|redeliver/i })
      .first()
      .click();
    await eventually("the contact arrives", () => fixture.integrator.contacts.includes("worker_amal"));

    // People are found and invited.
    await hirer.page.goto("/invitations");
    await hirer.page.getByRole("searchbox").fill("dana");
    await click(hirer.page, "Search");
    await hirer.page.getByRole("checkbox", { name: "Dana Kim" }).check();
    await click(hirer.page, "Invite selected people");
    await hirer.page.getByText("Invited: Dana Kim.").waitFor();

    const refused = /status of 422/;
    expect(windows.flatMap(({ complaints }) => complaints.filter((text) => !refused.test(text)))).toEqual([]);
    console.log(`updates seen after (ms): ${JSON.stringify(delays)}`);
    for (const [who, ms] of Object.entries(delays)) {
      expect(ms.length).toBeGreaterThanOrEqual(3);
      const median = ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)];
      expect(median, `the ${who}'s median in ms`).toBeLessThan(1_000);
    }
  });

  test("runs without scripts", async () => {
    const plain = { javaScriptEnabled: false };
    const [hirer, amal] = await Promise.all([fixture.openPortal(plain), fixture.openApp(plain)]);
    await draft(hirer.page, "Bar on Saturday");
    await create(hirer.page);
    await eventually("the offer is in the menu", async () => {
      await amal.page.goto("/app");
      return (await amal.page.getByRole("link", { name: "Bar on Saturday" }).count()) > 0;
    });
    await amal.page.getByRole("link", { name: "Bar on Saturday" }).click();
    await click(amal.page, "Reject");
    await amal.page.getByText("You rejected this offer.").waitFor();
    await click(amal.page, "Apply after all");
    await amal.page.getByText("You applied. The decision is pending.").waitFor();
    await hirer.page.reload();
    await hirer.page.getByRole("checkbox", { name: "Amal" }).check();
    await click(hirer.page, "Complete with selected workers…");
    await click(hirer.page, "Complete the offer");
    await hirer.page.getByText("Gets the work").waitFor();
    await amal.page.reload();
    await amal.page.getByText("You got the work.").waitFor();
    await click(amal.page, "Close");
    await amal.page.getByRole("heading", { name: "Notifications" }).waitFor();
    expect([...hirer.complaints, ...amal.complaints]).toEqual([]);
  });

  test("creates one offer when the form is submitted twice without scripts, and redirects to it [D-85]", async () => {
    const { page } = await fixture.openPortal({ javaScriptEnabled: false });
    let sent = 0;
    // Like a double click, or a reload after a lost response.
    await page.route("**/offers/new", async (route) => {
      if (route.request().method() === "POST") {
        await route.fetch({ maxRedirects: 0 });
        sent += 1;
      }
      await route.continue();
    });
    await draft(page, "Clicked twice");
    await create(page);
    expect([sent, await page.getByRole("heading", { level: 1 }).textContent()]).toEqual([1, "Clicked twice"]);
    await page.goto("/offers");
    expect(await page.getByRole("link", { name: "Clicked twice" }).count()).toBe(1);
  });
});
