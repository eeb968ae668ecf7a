import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { isSignedWith } from "../support/is-signed-with.ts";
import { respondWith } from "../support/receiver.ts";
import { usePageClient, usePlatform, useReceiver } from "../support/use-opened.ts";
import { companySecret, saveCompany } from "./page-client.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");
const receiver = useReceiver(respondWith(200));
let offerId = "";
let deliveryPaths: string[] = [];

beforeAll(async () => {
  await saveCompany(hana, receiver);
  const headers = {
    "content-type": "text/plain",
    "x-trace": "abc123",
    "x-echo": companySecret,
    "x-escape": "\\u0000",
    "x-long": `${"-".repeat(244)}${companySecret}`,
  };
  receiver.respond = respondWith(503, headers, "maintenance");
  const json = { createdByUserId: "user_hana", title: "Kitchen help", workerIds: ["worker_amal", "worker_ben"] };
  offerId = (await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).json<{ id: string }>().id;
  for (const worker of ["worker_amal", "worker_ben"]) {
    const token = await platform.signInWorker(worker);
    await platform.call("POST", `/worker-app/offers/${offerId}/apply`, { token });
    await eventually("the delivery has failed", async () => {
      const { text } = await hana.get("/deliveries?state=dead");
      deliveryPaths = [...text.matchAll(/<a href="(\/deliveries\/[\w-]+)">/g)].map(([, path = ""]) => path);
      return deliveryPaths.length === (worker === "worker_amal" ? 1 : 2);
    });
  }
});

describe("the delivery page", () => {
  test("a delivery page shows the URL, the request headers with masked signatures, and the response headers", async () => {
    const { text } = await hana.get(deliveryPaths[0] ?? "");
    expect(text).toContain(`Sent to <code>${receiver.baseAddress}/hooks/offer/response</code>`);
    const sent = receiver.requests.at(-1);
    expect(text).toContain(`Timestamp: ${sent?.headers.timestamp}`);
    expect(text).toContain("user-agent: offers-platform");
    expect(text).toContain("Authorization: hmac ***");
    expect(text).not.toContain(String(sent?.headers.authorization));
    expect(text).toContain("x-trace: abc123");
    expect(text).toContain("x-escape: \\u0000");
    // The header is truncated in the middle of the secret.
    expect(text).toContain(`x-long: ${"-".repeat(244)}***-***\n`);
    expect(text).toContain("maintenance");
    expect(text).not.toContain(companySecret);
  });

  test("the curl command on a delivery page signs its request", async () => {
    const { text } = await hana.get(deliveryPaths[0] ?? "");
    const command = /id="curl-command">([^<]+)</.exec(text)?.[1] ?? "";
    expect(command).toContain("WEBHOOK_SECRET");
    const script = command.replaceAll("&#39;", "'").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    receiver.respond = respondWith(200);
    receiver.requests.length = 0;
    const { execFile } = await import("node:child_process");
    const env = { PATH: process.env.PATH, WEBHOOK_SECRET: companySecret };
    await new Promise((resolve) => execFile("sh", ["-c", script], { env }, resolve));
    const [request] = receiver.requests;
    expect(request?.url).toBe("/hooks/offer/response");
    expect(request !== undefined && isSignedWith(companySecret, request)).toBe(true);
    expect(JSON.parse(request?.body ?? "{}")).toMatchObject({ offerId, response: "accepted" });
  });

  test("a delivery page links to the previous and next deliveries, and an offer page links to the offer's deliveries", async () => {
    const [newest = "", oldest = ""] = deliveryPaths;
    expect((await hana.get(newest)).text).toContain(`<a href="${oldest}" rel="prev">`);
    expect((await hana.get(oldest)).text).toContain(`<a href="${newest}" rel="next">`);
    expect((await hana.get(oldest)).text).not.toContain('rel="prev"');
    expect((await hana.get(`/offers/${offerId}`)).text).toContain(`href="/deliveries?q=${offerId}"`);
    expect((await hana.get(`/deliveries?q=${offerId}`)).text.match(/applied for “Kitchen help”<\/a>/g)).toHaveLength(2);
  });

  test("a search finds deliveries by id, and offers by id, worker or title", async () => {
    const id = deliveryPaths[0]?.split("/").at(-1) ?? "";
    expect((await hana.get(`/deliveries?q=${id}`)).text).toContain(`href="${deliveryPaths[0]}"`);
    expect((await hana.get(`/deliveries?q=${id}`)).text).not.toContain(`href="${deliveryPaths[1]}"`);
    for (const query of [offerId, "worker_ben", "kitchen"])
      expect((await hana.get(`/offers?q=${query}`)).text).toContain(`href="/offers/${offerId}"`);
    expect((await hana.get("/offers?q=worker_dana")).text).toContain("No matching offers.");
  });
});
