import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { openPagesFixture, type PagesFixture } from "./pages-fixture.ts";

describe("live pages", () => {
  let fixture: PagesFixture;
  beforeAll(async () => {
    fixture = await openPagesFixture({ metrics: { host: "127.0.0.1", port: 0 } });
  });
  afterAll(() => fixture.close());

  /** Returns the number of open event streams on the server. */
  async function countStreams(): Promise<number> {
    const response = await fetch(`${fixture.platform.metricsAddress}/metrics`);
    return Number(/^offers_event_streams_open (\d+)$/m.exec(await response.text())?.[1]);
  }
  async function openTabs(context: BrowserContext, count: number, path: string): Promise<Page[]> {
    const pages: Page[] = [];
    for (let index = 0; index < count; index += 1) {
      const page = await context.newPage();
      await page.goto(path);
      pages.push(page);
    }
    return pages;
  }
  /** Hides or shows a page as a browser would, because headless pages are always visible. */
  const setVisible = (page: Page, isVisible: boolean) =>
    page.evaluate(
      (state) => {
        Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
      },
      isVisible ? "visible" : "hidden",
    );

  test("live pages share one stream per browser, and a click in each of twelve tabs is fast", async () => {
    const { page: first, context } = await fixture.openPortal();
    await first.goto("/offers");
    const pages = [first, ...(await openTabs(context, 11, "/offers"))];
    await eventually("there is one stream", async () => (await countStreams()) === 1);
    const clickMs: number[] = [];
    for (const page of pages) {
      const startedAt = performance.now();
      await page.getByRole("link", { name: "Create an offer" }).first().click();
      await page.waitForURL("**/offers/new");
      clickMs.push(Math.round(performance.now() - startedAt));
      await page.goBack();
    }
    console.log(`a click in each of twelve tabs: ${clickMs.join(", ")} ms`);
    expect(Math.max(...clickMs)).toBeLessThan(2_000);
    await eventually("there is one stream", async () => (await countStreams()) === 1);

    // All pages receive a change, although only one has the stream.
    await fixture.createOffer("Kitchen help on Friday");
    for (const page of pages) await page.getByRole("link", { name: "Kitchen help on Friday" }).first().waitFor();

    // When the page with the stream is hidden, another page opens a stream, and no event is missed.
    for (const page of pages.slice(0, -1)) await setVisible(page, false);
    await eventually("there is one stream", async () => (await countStreams()) === 1);
    await fixture.createOffer("Breakfast on Sunday");
    const last = pages.at(-1) ?? first;
    await last.getByRole("link", { name: "Breakfast on Sunday" }).first().waitFor();
    expect(await first.getByRole("link", { name: "Breakfast on Sunday" }).count()).toBe(0);

    await setVisible(last, false);
    await eventually("no stream is open", async () => (await countStreams()) === 0);
    await fixture.createOffer("Bar on Saturday");
    await setVisible(first, true);
    for (const title of ["Breakfast on Sunday", "Bar on Saturday"])
      await first.getByRole("link", { name: title }).first().waitFor();
    expect(await countStreams()).toBe(1);
    await context.close();
    await eventually("no stream is open", async () => (await countStreams()) === 0);
  });

  test("live updates preserve the colour of a state and the focus in a list", async () => {
    const id = await fixture.createOffer("Terrace on Monday");
    const { page, pageErrors } = await fixture.openPortal();
    await page.goto(`/offers/${id}`);
    const list = await page.context().newPage();
    await list.goto("/offers");
    const link = list.getByRole("link", { name: "Terrace on Monday" }).last();
    await link.focus();
    await fixture.respond("worker_amal", "apply", id);
    const state = page.locator("#offer-state .badge.warn", { hasText: "Needs your decision" });
    await state.waitFor();
    await list.locator("#decisions, #offers").getByText("Needs your decision").first().waitFor();
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(pageErrors).toEqual([]);
  });

  test("live pages fetch only changed parts, compressed: ten events take less than a tenth of the bytes of ten pages", async () => {
    for (let number = 0; number < 50; number += 1) await fixture.createOffer(`One of fifty offers, number ${number}`);
    const id = await fixture.createOffer("Ten events");
    const { page } = await fixture.openPortal();
    await page.goto("/offers");
    const sizes: number[] = [];
    page.on("response", async (response) => {
      if (response.request().headers()["x-part"] === undefined) return;
      sizes.push((await response.request().sizes()).responseBodySize);
    });
    for (let event = 0; event < 10; event += 1) {
      await fixture.respond("worker_ben", event % 2 === 0 ? "apply" : "reject", id);
      await eventually("the update is fetched", () => sizes.length > event);
      // Wait longer than the minimum time between two refreshes, so that each event causes a separate refresh.
      await page.waitForTimeout(600);
    }
    const whole = await page.request.get("/offers", { headers: { "Accept-Encoding": "identity" } });
    const pageBytes = 10 * (await whole.body()).length;
    const fetchedBytes = sizes.reduce((sum, size) => sum + size, 0);
    console.log(`ten events: ${fetchedBytes} bytes; ten pages: ${pageBytes} bytes`);
    expect(fetchedBytes).toBeLessThan(pageBytes / 10);
  });

  test("the profile page shows that a check is running, and submits its form once", async () => {
    const { page } = await fixture.openPortal();
    page.setDefaultTimeout(20_000);
    await page.goto("/company");
    const receiver = await openReceiver((request, response) => {
      setTimeout(() => respondWith(500)(request, response), 4_000);
    });
    let posts = 0;
    page.on("request", (request) => {
      if (request.method() === "POST") posts += 1;
    });
    await page.locator("#baseAddress").fill(receiver.baseAddress);
    await page.getByLabel("Secret", { exact: true }).fill("a secret of 16 characters");
    const button = page.getByRole("button", { name: "Check and save" });
    // Click and read in one call, because Playwright would wait for the next page in between.
    const shown = await button.evaluate((element) => {
      (element as HTMLButtonElement).click();
      (element as HTMLButtonElement).click();
      return [element.ariaBusy, document.getElementById("live-state")?.textContent?.trim()];
    });
    expect(shown).toEqual(["true", "Calling the endpoint…"]);
    await page.getByText("Nothing was changed.").waitFor();
    expect(posts).toBe(1);
    await receiver.close();
  });
});
