import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";

const platform = usePlatform({ settings: { showAllMail: false } });
const receiver = useReceiver(respondWith(200));
const pages = [
  "/offers",
  "/offers/new",
  "/deliveries",
  "/invitations",
  "/company",
  "/mailbox",
  "/api-keys",
  "/offers/unknown",
];

describe("an unhealthy endpoint", () => {
  const hana = usePageClient(platform, "hana@harbour-hotels.example");
  const stripOn = async (path: string): Promise<string> => {
    const { text } = await hana.get(path);
    const [, strip = ""] = /id="endpoint-strip-state"[^>]*>(.*?)<\/div>/s.exec(text) ?? [];
    return strip.replaceAll(/(<[^>]+>|\s)+/g, " ");
  };
  const mailWith = async (subject: string): Promise<string> => {
    let mail = "";
    await eventually(`the mail "${subject}" is there`, async () => {
      const { text } = await hana.get("/mailbox");
      mail =
        text.split('<article class="panel mail"').find((each) => each.includes(`Harbour Hotels: ${subject}</h2>`)) ??
        "";
      return mail !== "";
    });
    return mail;
  };
  async function addContacts(count: number): Promise<void> {
    const token = await platform.signInWorker("worker_amal");
    const json = { organisationId: "org_harbour" };
    for (let added = 0; added < count; added += 1) await platform.call("POST", "/worker-app/contacts", { token, json });
  }

  test("leads to its failed events when none of them is retried any more [D-151]", async () => {
    const fields = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), scheme: "timestampDigest" };
    expect((await hana.send("/company", fields)).status).toBe(200);
    receiver.respond = respondWith(503);
    await addContacts(1);
    await eventually("the event has failed", async () =>
      (await hana.get("/offers")).text.includes('href="/deliveries?state=dead"'),
    );
    expect(await stripOn("/offers")).toContain("Your endpoint has been failing");
    expect(await stripOn("/offers")).not.toContain("waiting");
    receiver.respond = respondWith(200);
  });

  test("is reported on every page and by mail when it is paused, and again when it recovers [D-151]", async () => {
    const fields = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), scheme: "timestampDigest" };
    expect((await hana.send("/company", fields)).status).toBe(200);
    for (const path of pages) expect(await stripOn(path)).toBe("");
    receiver.respond = respondWith(503);
    await addContacts(6);
    await eventually("deliveries are paused", async () => (await stripOn("/offers")).includes("are paused until"));
    for (const path of pages) {
      const strip = await stripOn(path);
      expect(strip).toMatch(/\d events? waiting\./);
      expect(strip).toContain("Retry now");
    }
    const failing = await mailWith("your webhooks are failing");
    expect(failing).toContain(receiver.baseAddress);
    expect(failing).toMatch(/\d events? (are|is) waiting/);
    expect(failing).toContain(`${platform.address}/deliveries?state=pending`);

    receiver.respond = respondWith(200);
    expect((await hana.send("/company/retry")).status).toBe(303);
    await eventually("it is well", async () => (await stripOn("/offers")) === "");
    expect(await mailWith("your webhooks are being delivered again")).toContain(`${receiver.baseAddress} works again`);
  });

  test("is reported on every page and by mail when it is disabled, with the held deliveries [D-151]", async () => {
    receiver.respond = respondWith(410);
    await addContacts(3);
    await eventually("it is disabled", async () => (await stripOn("/offers")).includes("is disabled since"));
    await addContacts(1);
    expect(await stripOn("/mailbox")).toMatch(/\d+ events held\./);
    const disabled = await mailWith("your webhook endpoint is disabled");
    expect(disabled).toContain(receiver.baseAddress);
    expect(disabled).toMatch(/\d events? (are|is) kept/);
    expect(disabled).toContain(`${platform.address}/company#health`);
    receiver.respond = respondWith(200);
    expect((await hana.send("/company/enable")).status).toBe(200);
    expect(await stripOn("/offers")).toBe("");
  });
});
