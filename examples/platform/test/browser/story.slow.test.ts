import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { secret } from "./integrator.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";
import type { Window } from "./window.ts";

describe("the contract's scenario in browsers", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture();
  });
  afterAll(() => fixture.close());

  type Role = "hirer" | "worker" | "integrator";

  /** How long each update took to appear in another window, in milliseconds from before the click. */
  const delaysMs: Record<Role, number[]> = { hirer: [], worker: [], integrator: [] };

  /** Runs `act`, waits until each role's window shows the effect without any user input, and records how long that took. */
  async function expectUpdates(
    act: () => Promise<unknown>,
    updates: Partial<Record<Role, Locator | Locator[]>>,
  ): Promise<void> {
    const startedAt = performance.now();
    const expected = Object.entries(updates).flatMap(([role, locators]) =>
      [locators].flat().map((locator) => [role as Role, locator] as const),
    );
    const appearances = expected.map(async ([role, locator]) => {
      // Playwright would poll only every half second.
      await eventually(`${role} sees ${locator}`, () => locator.first().isVisible());
      delaysMs[role].push(Math.round(performance.now() - startedAt));
    });
    await act();
    await Promise.all(appearances);
  }

  const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  async function fillInOffer(page: Page, title: string): Promise<void> {
    await page.goto("/offers/new");
    await page.getByLabel("Title").fill(title);
    await page.locator("#start-0").fill("2027-03-05T17:00");
    await page.locator("#end-0").fill("2027-03-05T23:00");
    for (const name of ["Amal", "Ben", "Cleo"]) await page.getByRole("checkbox", { name }).check();
  }

  async function submitOffer(page: Page): Promise<void> {
    await page.getByRole("button", { name: "Create the offer" }).click();
    await page.getByRole("heading", { level: 2, name: "Recipients" }).waitFor();
  }

  async function saveProfile(page: Page, baseAddress: string, endpointSecret: string): Promise<void> {
    await page.locator("#baseAddress").fill(baseAddress);
    await page.getByLabel("Secret", { exact: true }).fill(endpointSecret);
    await page.getByRole("checkbox", { name: "Suggests contacts" }).check();
    await click(page, "Check and save");
  }

  test("the contract's scenario runs in three windows without a reload [D-82]", async () => {
    const [hirer, amal, integrator] = await Promise.all([
      fixture.openPortal(),
      fixture.openApp(),
      fixture.openPortal(),
    ]);
    const [ben, cleo] = [await fixture.openApp({}, "worker_ben"), await fixture.openApp({}, "worker_cleo")];
    const windows: Window[] = [hirer, amal, integrator, ben, cleo];
    const findRow = ({ page }: Window, text: string) => page.getByRole("row").filter({ hasText: text });
    const findAcknowledged = (text: string) => findRow(integrator, text).filter({ hasText: "Acknowledged" });

    // The company profile is saved only if both checks return 200.
    await integrator.page.goto("/company");
    await saveProfile(integrator.page, `${fixture.integrator.baseAddress}/unknown`, secret);
    await integrator.page.getByText("Nothing was changed.").waitFor();
    await saveProfile(integrator.page, fixture.integrator.baseAddress, `${secret}x`);
    await integrator.page.getByText("Nothing was changed.").waitFor();
    await saveProfile(integrator.page, fixture.integrator.baseAddress, secret);
    await integrator.page.getByText("The profile is saved.").waitFor();
    await integrator.page.goto("/deliveries");

    // An offer is sent and gets every type of response.
    const firstLink = amal.page.getByRole("link", { name: "Kitchen help on Friday" });
    await fillInOffer(hirer.page, "Kitchen help on Friday");
    await expectUpdates(() => submitOffer(hirer.page), { worker: firstLink });
    await expectUpdates(() => firstLink.click(), { hirer: findRow(hirer, "Amal").filter({ hasText: "Opened" }) });
    await expectUpdates(() => click(amal.page, "Apply"), {
      hirer: findRow(hirer, "Amal").filter({ hasText: "Applied" }),
      integrator: findAcknowledged("Amal Haddad applied for"),
    });
    await ben.page.getByRole("link", { name: "Kitchen help on Friday" }).click();
    await expectUpdates(() => click(ben.page, "Reject"), {
      hirer: findRow(hirer, "Ben").filter({ hasText: "Rejected" }),
      integrator: findAcknowledged("Ben Okafor rejected"),
    });
    await cleo.page.getByRole("link", { name: "Kitchen help on Friday" }).click();
    await expectUpdates(() => click(cleo.page, "Close"), {
      hirer: findRow(hirer, "Cleo").filter({ hasText: "Closed without a response" }),
    });
    await hirer.page.getByText("1 applied, 1 rejected, 1 without a response").waitFor();
    await eventually("the integrator received both", () => fixture.integrator.responses.length === 2);
    expect(fixture.integrator.responses).toEqual(["worker_amal accepted", "worker_ben rejected"]);

    // The offer is completed, and all workers are notified, including the one who closed it.
    await ben.page.goto("/app");
    await hirer.page.getByRole("checkbox", { name: "Amal" }).check();
    await click(hirer.page, "Complete with selected workers…");
    await hirer.page.getByText("2 other workers will be notified that others got the work.").waitFor();
    await expectUpdates(() => click(hirer.page, "Complete the offer"), {
      worker: [
        amal.page.getByText("You got the work."),
        ...[ben, cleo].map(({ page }) => page.getByText("Others got the work")),
      ],
    });
    await hirer.page.getByText("Gets the work").waitFor();

    // A second offer is withdrawn while a worker who applied is viewing it.
    await amal.page.goto("/app");
    const secondLink = amal.page.getByRole("link", { name: "Breakfast on Sunday" });
    await fillInOffer(hirer.page, "Breakfast on Sunday");
    await expectUpdates(() => submitOffer(hirer.page), { worker: secondLink });
    await secondLink.click();
    await expectUpdates(() => click(amal.page, "Apply"), {
      hirer: findRow(hirer, "Amal").filter({ hasText: "Applied" }),
    });
    await hirer.page.getByRole("link", { name: "Withdraw" }).click();
    await expectUpdates(() => click(hirer.page, "Withdraw the offer"), {
      worker: [
        amal.page.getByText("This offer was withdrawn."),
        ben.page.getByRole("link", { name: "Offer withdrawn" }),
      ],
    });

    // The receiver fails, and the portal shows it. After it has recovered, nothing is lost.
    fixture.integrator.isWorking = false;
    await amal.page.goto("/app/contacts");
    await expectUpdates(() => amal.page.getByRole("button", { name: "Add a contact at Harbour Hotels" }).click(), {
      integrator: findRow(integrator, "Amal Haddad added").filter({ hasText: "500" }),
    });
    await amal.page.getByText("Harbour Hotels has been notified").waitFor();
    await findRow(integrator, "Amal Haddad added").filter({ hasText: "Failed" }).first().waitFor();
    fixture.integrator.isWorking = true;
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

    const rejectedProfile = /status of 422/;
    expect(windows.flatMap(({ pageErrors }) => pageErrors.filter((text) => !rejectedProfile.test(text)))).toEqual([]);
    console.log(`updates appeared after (ms): ${JSON.stringify(delaysMs)}`);
    for (const [role, ms] of Object.entries(delaysMs)) {
      expect(ms.length).toBeGreaterThanOrEqual(3);
      const median = ms.toSorted((a, b) => a - b)[Math.floor(ms.length / 2)];
      expect(median, `the ${role}'s median in ms`).toBeLessThan(1_000);
    }
  });

  test("the contract's scenario runs without scripts", async () => {
    const noScripts = { javaScriptEnabled: false };
    const [hirer, amal] = await Promise.all([fixture.openPortal(noScripts), fixture.openApp(noScripts)]);
    await fillInOffer(hirer.page, "Bar on Saturday");
    await submitOffer(hirer.page);
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
    expect([...hirer.pageErrors, ...amal.pageErrors]).toEqual([]);
  });

  test("a form submitted twice without scripts creates one offer and redirects to it [D-85]", async () => {
    const { page } = await fixture.openPortal({ javaScriptEnabled: false });
    let posts = 0;
    // Send each form twice, like a double click or a reload after a lost response.
    await page.route("**/offers/new", async (route) => {
      if (route.request().method() === "POST") {
        await route.fetch({ maxRedirects: 0 });
        posts += 1;
      }
      await route.continue();
    });
    await fillInOffer(page, "Clicked twice");
    await submitOffer(page);
    expect([posts, await page.getByRole("heading", { level: 1 }).textContent()]).toEqual([1, "Clicked twice"]);
    await page.goto("/offers");
    expect(await page.getByRole("link", { name: "Clicked twice" }).count()).toBe(1);
  });
});
