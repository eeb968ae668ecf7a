import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { secret } from "./integrator.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";

describe("daily use", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture();
  });
  afterAll(() => fixture.close());

  async function saveEndpoint({ baseAddress }: { baseAddress: string }, emailAddress = "hana@harbour-hotels.example") {
    const token = await fixture.platform.signInPerson(emailAddress);
    const json = { baseAddress, secret, suggestsContacts: false };
    await fixture.platform.call("PUT", "/portal/profile", { token, json });
  }

  test("a form whose session ended in another tab asks the user to sign in again, and preserves the input", async () => {
    const { page, context, pageErrors } = await fixture.openPortal();
    await page.goto("/offers/new");
    await page.getByLabel("Title").fill("Typed for ten minutes");
    await page.getByRole("checkbox", { name: "Amal" }).check();
    const otherTab = await context.newPage();
    await otherTab.goto("/offers");
    await otherTab.getByRole("button", { name: "Sign out" }).click();
    await otherTab.waitForURL("**/sign-in");
    await page.getByRole("button", { name: "Create the offer" }).click();
    await page.getByText("Your input is kept").waitFor();
    await page.locator("#name").fill("hana@harbour-hotels.example");
    await page.locator("#password").fill("demo-password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("You have signed in again.").waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe("Typed for ten minutes");
    expect(await page.getByRole("checkbox", { name: "Amal" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Create the offer" }).click();
    await page.getByRole("heading", { name: "Typed for ten minutes" }).waitFor();
    // Ignore 401s, which the browser itself reports.
    expect(pageErrors.filter((error) => !error.includes("401"))).toEqual([]);
    await context.close();
  });

  test("a worker sees a new offer on any page, and an outdated notice disappears when the state changes", async () => {
    const { page, context } = await fixture.openApp();
    await page.goto("/app/shifts");
    const id = await fixture.createOffer("Arrives meanwhile");
    await page.getByText("New offer: Arrives meanwhile").waitFor();
    expect(await page.title()).toMatch(/^\(\d+\) Shifts/);
    await page.getByRole("link", { name: "Arrives meanwhile" }).click();
    await page.getByRole("button", { name: "Apply" }).click();
    const notice = page.getByText("You will be notified once the work is assigned.");
    await notice.waitFor();
    await fixture.respond("worker_ben", "apply", id);
    const options = { key: "demo-key-harbour", json: ["worker_ben"] };
    await fixture.platform.call("POST", `/offer/${id}/complete?api-version=1.0`, options);
    await page.getByText("Others got the work this time.").waitFor();
    await notice.waitFor({ state: "detached" });
    await context.close();
  });

  test("a worker's form whose session ended asks the worker to sign in again, and preserves the response", async () => {
    const id = await fixture.createOffer("Bar on Saturday, after the session");
    const { page, context } = await fixture.openApp();
    await page.goto(`/app/offers/${id}`);
    await context.clearCookies();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.locator("#name").fill("worker_amal");
    await page.locator("#password").fill("demo-password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Send it now" }).click();
    await page.getByText("You applied. The decision is pending.").waitFor();
    await context.close();
  });

  test("a worker's newest offer comes first, even with more than twenty open offers", async () => {
    for (let number = 1; number <= 25; number += 1) await fixture.createOffer(`Open offer ${number}`);
    const { page, context } = await fixture.openApp({}, "worker_cleo");
    const newest = await page.getByRole("link", { name: "Open offer 25" }).first().boundingBox();
    expect(newest?.y).toBeLessThan(300);
    await context.close();
  });

  test("redelivering all matching events sends only those events, after a confirmation with their number", async () => {
    await saveEndpoint(fixture.integrator);
    const failingOfferId = await fixture.createOffer("Fails twice");
    const deliveredOfferId = await fixture.createOffer("Reaches Amal");
    fixture.integrator.isWorking = false;
    await fixture.respond("worker_ben", "reject", failingOfferId);
    await fixture.respond("worker_cleo", "reject", failingOfferId);
    const { page, context } = await fixture.openPortal();
    await page.goto(`/deliveries?state=dead&q=${failingOfferId}`);
    await page.locator("#deliveries tbody tr").nth(1).waitFor();
    fixture.integrator.isWorking = true;
    await fixture.respond("worker_amal", "reject", deliveredOfferId);
    await page.goto("/deliveries?state=dead&q=Ben");
    fixture.integrator.responses.length = 0;
    await page.getByRole("link", { name: "Redeliver all that match…" }).click();
    await page.getByRole("heading", { name: "Redeliver 1 event?" }).waitFor();
    await page.getByRole("button", { name: "Redeliver 1 event" }).click();
    await page.getByText("Redelivered: 1 event.", { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe("?state=dead&q=Ben");
    expect(fixture.integrator.responses).toEqual(["worker_ben rejected"]);
    await context.close();
  });

  test.each([
    ["with scripts", {}],
    ["without scripts", { javaScriptEnabled: false }],
  ])("Enter in the search for workers only searches %s, however complete the offer is", async (how, options) => {
    const { page, context } = await fixture.openPortal(options);
    await page.goto("/offers/new");
    const search = page.getByLabel("Search workers");
    // The title is required, but not to search.
    await search.fill("ben");
    await search.press("Enter");
    await page.getByText("1 worker matches “ben”").waitFor();
    await page.getByLabel("Title").fill(`Not yet sent ${how}`);
    await page.getByRole("checkbox", { name: "Ben" }).check();
    await search.press("Enter");
    await page.getByRole("group", { name: "Selected workers" }).getByRole("checkbox", { name: "Ben" }).waitFor();
    expect(new URL(page.url()).hash).toBe("#who");
    const isReloaded = page.waitForEvent("load");
    await page.getByLabel("Title").press("Enter");
    await isReloaded;
    await page.goto("/offers");
    expect(await page.getByText("Not yet sent").count()).toBe(0);
    await context.close();
  });

  test("workers for a new offer are found by name, selected together, and skipped with one link", async () => {
    const { page, context } = await fixture.openPortal();
    await page.goto("/offers/new");
    await page.getByLabel("Title").fill("Kept while searching");
    await page.getByLabel("Search workers").fill("ben");
    await page.getByLabel("Search workers").press("Enter");
    await page.getByText("1 worker matches “ben”").waitFor();
    await page.getByRole("button", { name: "Select all that match" }).click();
    await page.getByRole("group", { name: "Selected workers" }).getByRole("checkbox", { name: "Ben" }).waitFor();
    expect(await page.getByLabel("Title").inputValue()).toBe("Kept while searching");
    await page.getByRole("link", { name: "Skip the list of workers" }).press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Create the offer");
    await page.keyboard.press("Enter");
    await page.getByText("0 applied, 0 rejected, 1 without a response").waitFor();
    await context.close();
  });

  test("a disabled endpoint is reported on each page, and a delivery shows its headers and a curl command", async () => {
    const options = { permissions: ["clipboard-read", "clipboard-write"] };
    const { page, context } = await fixture.openPortal(options, "bo@bistro-group.example");
    const receiver = await openReceiver(respondWith(200, { "x-trace": "abc123" }));
    await saveEndpoint(receiver, "bo@bistro-group.example");
    receiver.respond = respondWith(410, { "x-trace": "abc123" });
    const worker = await fixture.platform.signInWorker("worker_amal");
    const json = { createdByUserId: "user_bo", title: "Bar", workerIds: ["worker_amal"] };
    const created = await fixture.platform.call("POST", "/offer", { key: "demo-key-bistro", json });
    await fixture.platform.call("POST", `/worker-app/offers/${created.json<{ id: string }>().id}/apply`, {
      token: worker,
    });
    await page.goto("/offers");
    await page.getByText("Your endpoint is disabled since").waitFor();
    await page.getByText("1 event held.").waitFor();
    await page.goto("/deliveries?q=worker_amal");
    await page.locator("#deliveries tbody a").first().click();
    await page.getByText(`Sent to ${receiver.baseAddress}/`).waitFor();
    await page.getByText("x-trace: abc123").waitFor();
    await page.getByText("Send it yourself with curl").click();
    await page.getByRole("button", { name: "Copy as curl" }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("curl");
    await receiver.close();
    await context.close();
  });

  test("registration warns about an endpoint that accepts everything, and mentions firewalls and redirects", async () => {
    const { page, context } = await fixture.openPortal({}, "ada@crew-agency.example");
    const receiver = await openReceiver(respondWith(200));
    const register = async (): Promise<void> => {
      await page.goto("/company");
      await page.locator("#baseAddress").fill(receiver.baseAddress);
      await page.locator("#secret").fill(secret);
      await page.getByRole("button", { name: "Check and save" }).click();
      await page.locator("#checks").waitFor();
    };
    await register();
    await page.getByRole("alert").getByText("Your endpoint accepts requests that are not from the service.").waitFor();
    receiver.respond = respondWith(403);
    await register();
    await page.getByText("the secret is not the cause").first().waitFor();
    receiver.respond = ({ url }, response) =>
      void response.writeHead(301, { location: `https://hooks.example.com${url}` }).end();
    await register();
    await page.getByText("It redirects to https://hooks.example.com/test").first().waitFor();
    await page.getByRole("button", { name: "Use https://hooks.example.com" }).click();
    expect(await page.locator("#baseAddress").inputValue()).toBe("https://hooks.example.com");
    await context.close();
    await receiver.close();
  });

  test("a secret is generated, shown and copied", async () => {
    const { page, context } = await fixture.openPortal({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.goto("/company");
    const input = page.locator("#secret");
    await page.getByRole("button", { name: "Generate a secret" }).first().click();
    const generated = await input.inputValue();
    expect(Buffer.from(generated, "base64")).toHaveLength(32);
    expect(await input.getAttribute("type")).toBe("text");
    await page.getByRole("button", { name: "Copy the secret" }).first().click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(generated);
    await page.getByRole("button", { name: "Hide" }).first().click();
    expect(await input.getAttribute("type")).toBe("password");
    await context.close();
  });

  test("a copy button shows its label again after two clicks in a row", async () => {
    const { page, context } = await fixture.openPortal({ permissions: ["clipboard-read", "clipboard-write"] });
    await page.clock.install();
    await page.goto("/company");
    const button = page.getByRole("button", { name: "Copy the secret" }).first();
    for (const secret of ["first-secret-of-20-characters", "second-secret-of-20-characters"]) {
      await page.locator("#secret").fill(secret);
      await button.click();
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
      expect(await button.textContent()).toBe("Copied");
      await page.clock.runFor(1_000);
    }
    await page.clock.runFor(5_000);
    expect(await button.textContent()).toBe("Copy");
    await context.close();
  });

  test("an offer's completion bar shows how many workers are selected, stays visible, and is two Tab stops away from the list", async () => {
    const id = await fixture.createOffer("To select from");
    for (const worker of ["worker_amal", "worker_ben"]) await fixture.respond(worker, "apply", id);
    const { page, context } = await fixture.openPortal({ viewport: { width: 1280, height: 420 } });
    await page.goto(`/offers/${id}`);
    await page.getByRole("checkbox", { name: "Amal" }).check();
    await page.getByRole("checkbox", { name: "Ben" }).check();
    await page.getByText("2 selected").waitFor();
    await page.locator("#recipients-title").scrollIntoViewIfNeeded();
    const bar = await page.locator("#complete-bar").boundingBox();
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(421);
    await page.getByRole("link", { name: "Skip the list of recipients" }).press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain("Complete with selected workers");
    await context.close();
  });

  // At 200 % zoom, a width of 1440 leaves a viewport of 720.
  test.each([1440, 1280, 720, 390])(
    "no page is wider than %i px, even with a long word, and axe finds no violation",
    async (width) => {
      await fixture.createOffer(
        "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(2),
      );
      await saveEndpoint(fixture.integrator);
      for (const colorScheme of ["light", "dark"] as const) {
        const { page, context, findViolations, pageErrors } = await fixture.openPortal({
          viewport: { width, height: 900 },
          colorScheme,
        });
        for (const path of ["/offers", "/offers/new", "/deliveries", "/deliveries/redeliver", "/company"]) {
          await page.goto(path);
          expect(
            await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
            path,
          ).toBeLessThanOrEqual(0);
          const narrowCells = await page
            .locator("th[scope=row]")
            .evaluateAll((cells) => cells.filter((cell) => cell.clientWidth < 160).map((cell) => cell.textContent));
          expect(narrowCells, path).toEqual([]);
          expect(await findViolations(), path).toEqual([]);
        }
        expect(pageErrors).toEqual([]);
        await context.close();
      }
    },
  );

  test("in forced colours, the selected filter, the active page and the legend are distinguishable", async () => {
    await saveEndpoint(fixture.integrator);
    await fixture.respond("worker_amal", "apply", await fixture.createOffer("Measured"));
    const { page, context } = await fixture.openPortal({ forcedColors: "active" });
    await page.goto("/offers?state=open");
    const outlines = await page
      .locator('[aria-current="true"], [aria-current="page"]')
      .evaluateAll((elements) => elements.map((element) => getComputedStyle(element).outlineStyle));
    expect(new Set(outlines)).toEqual(new Set(["solid"]));
    await page.goto("/deliveries");
    const legend = page.locator(".key.ok, .key.failed");
    await legend.first().waitFor();
    const colours = await legend.evaluateAll((elements) =>
      elements.map((element) => getComputedStyle(element).backgroundColor),
    );
    expect(new Set(colours).size).toBe(2);
    await context.close();
  });
});
