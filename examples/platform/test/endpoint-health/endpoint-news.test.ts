import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

const platform = usePlatform({ settings: { showAllMail: false } });
const receiver = useReceiver(respondWith(200));
const pagePaths = [
  "/offers",
  "/offers/new",
  "/deliveries",
  "/invitations",
  "/company",
  "/mailbox",
  "/api-keys",
  "/offers/unknown",
];

describe("unhealthy endpoints", () => {
  const hana = usePageClient(platform, "hana@harbour-hotels.example");
  /** Returns the text of the page's strip about the endpoint, or an empty string if the page shows none. */
  const readStrip = async (path: string): Promise<string> => {
    const { text } = await hana.get(path);
    const [, strip = ""] = /id="endpoint-strip-state"[^>]*>(.*?)<\/div>/s.exec(text) ?? [];
    return strip.replaceAll(/(<[^>]+>|\s)+/g, " ");
  };
  /** Waits for a mail in Hana's mailbox. @returns the HTML of the mail */
  const waitForMail = async (subject: string): Promise<string> => {
    let mail = "";
    await eventually(`the mail "${subject}" arrives`, async () => {
      const { text } = await hana.get("/mailbox");
      mail =
        text
          .split('<article class="panel mail"')
          .find((article) => article.includes(`Harbour Hotels: ${subject}</h2>`)) ?? "";
      return mail !== "";
    });
    return mail;
  };
  /** Creates offers and applies for each, so that the events do not wait for each other. */
  async function applyForOffers(count: number): Promise<void> {
    const token = await platform.signInWorker("worker_amal");
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
    for (let applied = 0; applied < count; applied += 1) {
      const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
      await platform.call("POST", `/worker-app/offers/${created.json<{ id: string }>().id}/apply`, { token });
    }
  }

  test("every page links to an endpoint's failed events once no event is waiting for a retry [D-151]", async () => {
    const fields = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), scheme: "timestampDigest" };
    expect((await hana.send("/company", fields)).status).toBe(200);
    receiver.respond = respondWith(503);
    await applyForOffers(1);
    await eventually("the event has failed", async () =>
      (await hana.get("/offers")).text.includes('href="/deliveries?state=dead"'),
    );
    expect(await readStrip("/offers")).toContain("Your endpoint has been failing");
    expect(await readStrip("/offers")).not.toContain("waiting");
    receiver.respond = respondWith(200);
  });

  test("a paused endpoint is reported on every page and by mail, and by mail again when it recovers [D-151]", async () => {
    const fields = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), scheme: "timestampDigest" };
    expect((await hana.send("/company", fields)).status).toBe(200);
    for (const path of pagePaths) expect(await readStrip(path)).toBe("");
    receiver.respond = respondWith(503);
    await applyForOffers(6);
    await eventually("deliveries are paused", async () => (await readStrip("/offers")).includes("are paused until"));
    for (const path of pagePaths) {
      const strip = await readStrip(path);
      expect(strip).toMatch(/\d events? waiting\./);
      expect(strip).toContain("Retry now");
    }
    const failureMail = await waitForMail("your webhooks are failing");
    expect(failureMail).toContain(receiver.baseAddress);
    expect(failureMail).toMatch(/\d events? (are|is) waiting/);
    expect(failureMail).toContain(`${platform.address}/deliveries?state=pending`);

    receiver.respond = respondWith(200);
    expect((await hana.send("/company/retry")).status).toBe(303);
    await eventually("the endpoint is healthy", async () => (await readStrip("/offers")) === "");
    expect(await waitForMail("your webhooks are being delivered again")).toContain(
      `${receiver.baseAddress} works again`,
    );
  });

  test("a disabled endpoint is reported on every page and by mail, with the number of held deliveries [D-151]", async () => {
    receiver.respond = respondWith(410);
    await applyForOffers(3);
    await eventually("the endpoint is disabled", async () =>
      (await readStrip("/offers")).includes("is disabled since"),
    );
    await applyForOffers(1);
    expect(await readStrip("/mailbox")).toMatch(/\d+ events held\./);
    const disabledMail = await waitForMail("your webhook endpoint is disabled");
    expect(disabledMail).toContain(receiver.baseAddress);
    expect(disabledMail).toMatch(/\d events? (are|is) kept/);
    expect(disabledMail).toContain(`${platform.address}/company#health`);
    receiver.respond = respondWith(200);
    expect((await hana.send("/company/enable")).status).toBe(200);
    expect(await readStrip("/offers")).toBe("");
  });
});
