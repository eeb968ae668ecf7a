// Saves the screenshots for the README: an offer with responses, and a delivery that was retried.
//   node scripts/bootstrap.mjs --build node scripts/docs/pictures.ts
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { openPagesFixture } from "../../examples/platform/test/browser/pages-fixture.ts";
import { eventually } from "../../examples/platform/test/support/eventually.ts";

const pictures = join(import.meta.dirname, "../../docs/pictures");
mkdirSync(pictures, { recursive: true });

const fixture = await openPagesFixture({ retrySchedule: { delaysMs: [2_000], jitter: 0, maxRetryAfterMs: 1_000 } });
const { platform, integrator } = fixture;
try {
  await fixture.createExamples();
  const offerId = await fixture.createOffer("Dinner service on Friday");
  const token = await platform.signInPerson("hana@harbour-hotels.example");
  const findDelivery = async (workerId: string) => {
    const { deliveries } = (await platform.call("GET", "/portal/deliveries", { token })).json<{
      deliveries: { id: string; state: string; data: object; attempts: object[] }[];
    }>();
    return deliveries.find(({ data }) => [offerId, workerId].every((id) => JSON.stringify(data).includes(id)));
  };

  integrator.isWorking = false;
  await fixture.respond("worker_amal", "apply", offerId);
  await eventually(
    "the first attempt has failed",
    async () => (await findDelivery("worker_amal"))?.attempts.length === 1,
  );
  integrator.isWorking = true;
  await fixture.respond("worker_ben", "apply", offerId);
  await fixture.respond("worker_cleo", "reject", offerId);
  await eventually(
    "the retry is acknowledged",
    async () => (await findDelivery("worker_amal"))?.state === "acknowledged",
  );

  const windowOptions = {
    colorScheme: "light",
    timezoneId: "Europe/Stockholm",
    viewport: { width: 960, height: 600 },
  } as const;
  const { page } = await fixture.openPortal(windowOptions);
  await page.goto(`/offers/${offerId}`);
  // The console asks once whether to use the browser's time zone.
  await page.getByRole("button", { name: "for everyone" }).click();
  await page.goto(`/offers/${offerId}`);
  // The hirer has selected workers but not completed the offer.
  await page.locator("label", { hasText: "Amal" }).getByRole("checkbox").check();
  await saveScreenshot(page, "offer");
  await page.goto(`/deliveries/${(await findDelivery("worker_amal"))?.id}`);
  await saveScreenshot(page, "delivery");
} finally {
  await fixture.close();
}

/** Saves a screenshot of the whole page in a window of the same height, so that sticky elements appear at the edges. */
async function saveScreenshot(page: Page, name: string): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: 960, height });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
