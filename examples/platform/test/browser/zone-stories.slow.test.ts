import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { secret } from "./integrator.ts";
import { openPagesFixture, type PagesFixture, phone } from "./pages-fixture.ts";
import { openWindow, type Window } from "./window.ts";

interface Variant {
  name: string;
  timeZone: string;
  options: BrowserContextOptions;
  /** Whether the user has only a keyboard, and moves the focus with Tab. */
  usesKeyboard: boolean;
  /** A night shift across a clock change, in local time and in UTC. */
  slot: { start: string; end: string; utc: { start: string; end: string } };
}

// Clock changes from the IANA time zone database.
const slots = {
  london: {
    start: "2027-03-27T22:00",
    end: "2027-03-28T06:00",
    utc: { start: "2027-03-27T22:00:00Z", end: "2027-03-28T05:00:00Z" },
  },
  stJohns: {
    start: "2027-11-06T22:00",
    end: "2027-11-07T06:00",
    utc: { start: "2027-11-07T00:30:00Z", end: "2027-11-07T09:30:00Z" },
  },
  chatham: {
    start: "2027-04-03T22:00",
    end: "2027-04-04T06:00",
    utc: { start: "2027-04-03T08:15:00Z", end: "2027-04-03T17:15:00Z" },
  },
};
const light = { colorScheme: "light" } as const;
const dark = { colorScheme: "dark" } as const;
const noScripts = { javaScriptEnabled: false } as const;
const variants: Variant[] = [
  { name: "London, light", timeZone: "Europe/London", options: light, usesKeyboard: false, slot: slots.london },
  {
    name: "London, dark, no scripts, phone",
    timeZone: "Europe/London",
    usesKeyboard: false,
    slot: slots.london,
    options: { ...dark, ...noScripts, ...phone },
  },
  {
    name: "St John's, dark, no scripts",
    timeZone: "America/St_Johns",
    usesKeyboard: false,
    slot: slots.stJohns,
    options: { ...dark, ...noScripts },
  },
  {
    name: "Chatham, light, phone, keyboard",
    timeZone: "Pacific/Chatham",
    usesKeyboard: true,
    slot: slots.chatham,
    options: { ...light, ...phone },
  },
  {
    name: "Chatham, dark, no scripts, keyboard",
    timeZone: "Pacific/Chatham",
    usesKeyboard: true,
    options: { ...dark, ...noScripts },
    slot: slots.chatham,
  },
];

describe.each(variants)("scenarios in $name", ({ timeZone, options, usesKeyboard, slot }) => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture({ retrySchedule: { delaysMs: [50], jitter: 0, maxRetryAfterMs: 1_000 } });
  }, 120_000);
  afterAll(() => fixture.close());

  const contextOptions = { ...options, timezoneId: timeZone };

  async function focus(target: Locator): Promise<void> {
    const page = target.page();
    for (let presses = 0; presses < 200; presses += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not reach ${target}`);
  }
  async function activate(target: Locator, key = "Enter"): Promise<void> {
    if (!usesKeyboard) return target.click();
    await focus(target);
    await target.page().keyboard.press(key);
  }
  async function enterText(target: Locator, text: string): Promise<void> {
    if (!usesKeyboard) return target.fill(text);
    await focus(target);
    await target.page().keyboard.press("ControlOrMeta+a");
    await target.page().keyboard.type(text);
  }
  /** Enters a time. Chromium's input has separate fields for month, day, year, hour, minute and AM/PM. */
  async function enterTime(target: Locator, localTime: string): Promise<void> {
    if (!usesKeyboard) return target.fill(localTime);
    const [, year, month, day, hour = "", minute] = /(\d+)-(\d+)-(\d+)T(\d+):(\d+)/.exec(localTime) ?? [];
    await focus(target);
    const { keyboard } = target.page();
    await keyboard.type(`${month}${day}${year}`);
    // The year field accepts up to six digits, so typing four does not move the focus to the next field.
    await keyboard.press("ArrowRight");
    const period = Number(hour) < 12 ? "AM" : "PM";
    await keyboard.type(`${String(Number(hour) % 12 || 12).padStart(2, "0")}${minute}${period}`);
    expect(await target.inputValue()).toBe(localTime);
  }
  const findButton = (page: Page, name: string): Locator => page.getByRole("button", { name, exact: true }).last();
  const expectNoViolations = async (window: Window): Promise<void> => {
    expect({ url: window.page.url(), found: await window.findViolations() }).toEqual({
      url: window.page.url(),
      found: [],
    });
  };

  /** Opens the page. Without scripts, also chooses the time zone, because the page cannot detect the browser's time zone. */
  async function chooseZone(page: Page, path: string, saveButton: string): Promise<void> {
    await page.goto(path);
    if (options.javaScriptEnabled === false) {
      await page.locator("#timeZone").selectOption(timeZone);
      await activate(findButton(page, saveButton));
    }
    await page.getByRole("link", { name: timeZone, exact: true }).waitFor();
  }

  test("a hirer creates an offer, and completes it with a worker who applied", async () => {
    const hirer = await fixture.openPortal(contextOptions);
    const { page } = hirer;
    await chooseZone(page, "/company", "Save the time zone");
    await page.goto("/offers/new");
    await enterText(page.getByLabel("Title"), "Night porter");
    await enterTime(page.locator("#start-0"), slot.start);
    await enterTime(page.locator("#end-0"), slot.end);
    await activate(page.getByRole("checkbox", { name: "Amal" }), "Space");
    await expectNoViolations(hirer);
    await activate(findButton(page, "Create the offer"));
    await page.waitForURL(/\/offers\/offer_/);
    const id = page.url().split("/").at(-1) ?? "";
    const response = await fixture.platform.call("GET", `/offer/${id}`, { key: "demo-key-harbour" });
    expect(response.json()).toMatchObject({ events: [slot.utc] });

    const worker = await fixture.openApp({ ...contextOptions, ...phone });
    await chooseZone(worker.page, "/app/time-zone", "Save");
    await worker.page.goto("/app");
    await expectNoViolations(worker);
    const card = worker.page.getByRole("link", { name: "Night porter" }).first();
    await expect(card.textContent()).resolves.toMatch(/22:00[\s\S]*06:00/);
    await activate(card);
    await activate(findButton(worker.page, "Apply"));
    await worker.page.getByText("You applied.").first().waitFor();

    await page.goto("/offers");
    await page.getByRole("heading", { name: "Needs your decision" }).waitFor();
    await expectNoViolations(hirer);
    await activate(page.getByRole("link", { name: "Night porter" }).first());
    await page.waitForURL(/\/offers\/offer_/);
    await activate(page.getByRole("checkbox", { name: "Amal" }), "Space");
    await activate(findButton(page, "Complete with selected workers…"));
    await page.getByRole("heading", { name: "Give the work to 1 worker?" }).waitFor();
    await expectNoViolations(hirer);
    await activate(findButton(page, "Complete the offer"));
    await page.getByText("Gets the work").waitFor();
    await expectNoViolations(hirer);
    await worker.page.goto("/app/shifts");
    await expect(worker.page.getByRole("link", { name: "Night porter" }).textContent()).resolves.toMatch(/22:00/);
    await expectNoViolations(worker);
    expect([...hirer.pageErrors, ...worker.pageErrors]).toEqual([]);
  });

  test("an integrator enters a profile, finds a failed delivery and redelivers it", async () => {
    const integrator = await fixture.openPortal(contextOptions);
    const { page } = integrator;
    await page.goto("/company");
    await enterText(page.locator("#baseAddress"), fixture.integrator.baseAddress);
    await enterText(page.getByLabel("Secret", { exact: true }), secret);
    await activate(page.getByRole("checkbox", { name: "Suggests contacts" }), "Space");
    await activate(findButton(page, "Check and save"));
    await page.getByText("The profile is saved.").waitFor();
    await expectNoViolations(integrator);
    fixture.integrator.isWorking = false;
    const token = await fixture.platform.signInWorker("worker_ben");
    const json = { organisationId: "org_harbour" };
    await fixture.platform.call("POST", "/worker-app/contacts", { token, json });
    const failedRow = page.getByRole("row").filter({ hasText: "Ben Okafor" }).filter({ hasText: "Failed" });
    await eventually("the delivery has failed", async () => {
      await page.goto("/deliveries?state=dead");
      return failedRow.isVisible();
    });
    fixture.integrator.isWorking = true;
    await page.goto("/deliveries");
    await enterText(page.getByLabel("Last status"), "500");
    await activate(findButton(page, "Filter"));
    await page.waitForURL(/status=500/);
    await expectNoViolations(integrator);
    await activate(page.getByRole("link", { name: "Ben Okafor" }));
    await page.waitForURL(/\/deliveries\/.+/);
    await activate(findButton(page, "Redeliver"));
    await eventually("the redelivery has arrived", async () => fixture.integrator.contacts.includes("worker_ben"));
    await page.getByText("The event is being redelivered.").waitFor();
    await expectNoViolations(integrator);
    expect(integrator.pageErrors).toEqual([]);
  });

  test("an invited person joins through the link in the mail, and applies", async () => {
    const hirer = await fixture.openPortal(contextOptions);
    await hirer.page.goto("/invitations");
    await activate(findButton(hirer.page, "Search"));
    await hirer.page.waitForURL("**/invitations/search");
    await activate(hirer.page.getByRole("checkbox", { name: "Farah Aziz" }), "Space");
    await expectNoViolations(hirer);
    await activate(findButton(hirer.page, "Invite selected people"));
    await hirer.page.waitForURL("**/invitations");
    await hirer.page.goto("/mailbox");
    const mail = await hirer.page.locator(".letter", { hasText: "/app/join/" }).first().textContent();
    const invitee = await openWindow(fixture.browser, {
      baseURL: fixture.platform.address,
      ...contextOptions,
      ...phone,
    });
    const { page } = invitee;
    await page.goto(/^https?:\S+$/m.exec(mail ?? "")?.[0] ?? "");
    await expectNoViolations(invitee);
    await enterText(page.getByLabel("Choose a password"), "a long password");
    await activate(findButton(page, "Join and share my availability"));
    await page.getByText("You now share your availability with Harbour Hotels.").waitFor();
    await eventually("the webhook arrives", async () =>
      fixture.integrator.contacts.some((id) => !/_(amal|ben)$/.test(id)),
    );
    const workerId = fixture.integrator.contacts.at(-1) ?? "";
    const json = { createdByUserId: "user_hana", title: "First shift", workerIds: [workerId], events: [slot.utc] };
    await fixture.platform.call("POST", "/offer", { key: "demo-key-harbour", json });
    await page.goto("/app");
    await activate(page.getByRole("link", { name: "First shift" }).first());
    await activate(findButton(page, "Apply"));
    await page.getByText("You applied.").first().waitFor();
    await expectNoViolations(invitee);
    await eventually("the response arrives", async () => fixture.integrator.responses.includes(`${workerId} accepted`));
    expect(invitee.pageErrors).toEqual([]);
  });
});
