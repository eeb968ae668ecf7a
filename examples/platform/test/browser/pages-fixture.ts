import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { Settings } from "../../src/settings/settings.ts";
import { eventually } from "../support/eventually.ts";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { type Integrator, openIntegrator, secret } from "./integrator.ts";
import { openBrowser } from "./open-browser.ts";
import { openWindow, type Window } from "./window.ts";

/** A browser, a platform and an integrator for tests of pages. */
export interface PagesFixture {
  platform: PlatformUnderTest;
  integrator: Integrator;
  browser: Browser;
  /** Opens a window in which this user is signed in. */
  openPortal(options?: BrowserContextOptions, emailAddress?: string): Promise<Window>;
  /** Opens a window in which this worker is signed in. */
  openApp(options?: BrowserContextOptions, workerId?: string): Promise<Window>;
  /** Creates an offer from Harbour Hotels to Amal, Ben and Cleo. */
  createOffer(title: string): Promise<string>;
  /** Sends a worker's response through the worker's app. */
  respond(workerId: string, action: "apply" | "reject", offerId: string): Promise<void>;
  /** Creates examples of everything that pages show: offers in each state, deliveries, failing organisations, invitations and mail. */
  createExamples(): Promise<void>;
  close(): Promise<void>;
}

const hana = "hana@harbour-hotels.example";

export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 } as const;

export async function openPagesFixture(settings: Partial<Settings> = {}): Promise<PagesFixture> {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const platform = await openPlatform(database, settings);
  const integrator = await openIntegrator();
  const { browser, label } = await openBrowser();
  console.log(`browser: ${label}`);
  const invalidReceiver = await openReceiver(
    respondWith(200, { "content-type": "application/json" }, '[{"name":"Ann"}]'),
  );
  const downReceiver = await openReceiver(respondWith(200));
  const key = "demo-key-harbour";

  const openSignedInWindow = async (
    path: string,
    name: string,
    options: BrowserContextOptions = {},
  ): Promise<Window> => {
    const window = await openWindow(browser, { baseURL: platform.address, ...options });
    await window.page.goto(path);
    await submitSignIn(window.page, name);
    return window;
  };

  const fixture: PagesFixture = {
    platform,
    integrator,
    browser,
    openPortal: (options, emailAddress = hana) => openSignedInWindow("/sign-in", emailAddress, options),
    openApp: (options, workerId = "worker_amal") =>
      openSignedInWindow("/app/sign-in", workerId, { ...phone, ...options }),
    async createOffer(title) {
      const json = {
        createdByUserId: "user_hana",
        title,
        details: "Evening service.\nBlack trousers, knives provided.",
        locationPlaceId: "place_harbour_kitchen",
        notifyEmailAddress: hana,
        workerIds: ["worker_amal", "worker_ben", "worker_cleo"],
        events: [{ start: "2027-03-05T17:00:00Z", end: "2027-03-05T23:00:00Z" }],
      };
      const response = await platform.call("POST", "/offer", { key, json });
      if (response.status !== 201) throw new Error(`the offer was rejected: ${response.text}`);
      return response.json<{ id: string }>().id;
    },
    async respond(workerId, action, offerId) {
      const token = await platform.signInWorker(workerId);
      await platform.call("POST", `/worker-app/offers/${offerId}/${action}`, { token });
    },
    async createExamples() {
      const saveProfile = async (emailAddress: string, baseAddress: string): Promise<void> => {
        const token = await platform.signInPerson(emailAddress);
        const json = { baseAddress, secret, suggestsContacts: true };
        const { status, text } = await platform.call("PUT", "/portal/profile", { token, json });
        if (status !== 200) throw new Error(`the profile was rejected: ${text}`);
      };
      await saveProfile(hana, integrator.baseAddress);
      await saveProfile("bo@bistro-group.example", invalidReceiver.baseAddress);
      await saveProfile("ada@crew-agency.example", downReceiver.baseAddress);
      downReceiver.respond = respondWith(503);
      const completedOfferId = await fixture.createOffer("Kitchen help on Friday");
      await fixture.respond("worker_amal", "apply", completedOfferId);
      await fixture.respond("worker_ben", "apply", completedOfferId);
      await platform.call("POST", `/offer/${completedOfferId}/complete?api-version=1.0`, {
        key,
        json: ["worker_amal"],
      });
      const withdrawnOfferId = await fixture.createOffer("Breakfast on Sunday");
      await fixture.respond("worker_amal", "apply", withdrawnOfferId);
      await platform.call("GET", `/offer/${withdrawnOfferId}/withdraw`, { key });
      integrator.isWorking = false;
      const openOfferId = await fixture.createOffer("Bar on Saturday");
      await fixture.respond("worker_amal", "reject", openOfferId);
      await eventually("one delivery has failed", async () => {
        const token = await platform.signInPerson(hana);
        return (await platform.call("GET", "/portal/deliveries", { token })).text.includes('"dead"');
      });
      integrator.isWorking = true;
      await fixture.respond("worker_ben", "apply", openOfferId);
      await fixture.createOffer("Terrace on Monday, with a title that is long enough to need a second line on a phone");
      const token = await platform.signInPerson(hana);
      const people = [{ name: "Farah Aziz", emailAddress: "farah.aziz@example.com" }];
      const json = { organisationId: "org_harbour", people };
      const search = { organisationIds: ["org_harbour"] };
      await platform.call("POST", "/portal/suggestions/search", { token, json: search });
      await platform.call("POST", "/portal/invitations", { token, json });
    },
    async close() {
      await browser.close();
      await platform.close();
      await Promise.all([integrator.close(), invalidReceiver.close(), downReceiver.close()]);
      await database.remove();
    },
  };
  return fixture;
}

/** Searches all organisations for suggestions. */
export async function searchAllOrganisations(page: Page): Promise<void> {
  await page.goto("/invitations");
  for (const box of await page.locator('[name="organisationIds"]').all()) await box.check();
  await page.getByRole("button", { name: "Search" }).click();
  await page.waitForURL("**/invitations/search");
}

/** Fills in and submits the form on either sign-in page. */
export async function submitSignIn(page: Page, name: string): Promise<void> {
  await page.locator("#name").fill(name);
  await page.locator("#password").fill("demo-password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/sign-in"));
}
