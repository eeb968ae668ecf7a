import { expect, test } from "vitest";
import { usePageClient, usePlatform } from "../support/use-opened.ts";
import { openLiveReader } from "./read-live.ts";

const platform = usePlatform();
const hana = usePageClient(platform, "hana@harbour-hotels.example");

test.each(["br", "gzip"])("pages and their files are compressed with %s", async (coding) => {
  const headers = { "Accept-Encoding": coding };
  const { text, headers: pageHeaders } = await hana.get("/offers", headers);
  expect(pageHeaders.get("content-encoding")).toBe(coding);
  for (const [, path = ""] of text.matchAll(/="(\/assets\/[^"]+\.(?:css|js))"/g))
    expect((await hana.get(path, headers)).headers.get("content-encoding")).toBe(coding);
});

test("an event stream is not compressed, because compression would delay its events", async () => {
  const { text } = await hana.get("/offers");
  const address = platform.address + /data-live-stream="([^"]+)"/.exec(text)?.[1];
  const headers = { Accept: "text/event-stream", "Accept-Encoding": "br, gzip", Cookie: hana.cookie() };
  const connection = new AbortController();
  const response = await fetch(address, { headers, signal: connection.signal });
  expect(response.headers.get("content-encoding")).toBeNull();
  connection.abort();
  const reader = await openLiveReader(address, hana.cookie());
  const json = { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] };
  await platform.call("POST", "/offer", { key: "demo-key-harbour", json });
  await expect.poll(() => reader.countOf("offer")).toBe(1);
  reader.disconnect();
});

test("a live update fetches only the parts that have changed", async () => {
  const whole = (await hana.get("/offers")).text;
  const first = (await hana.get("/offers", { "X-Part": "offers=" })).text;
  expect(first.length).toBeLessThan(whole.length);
  const version = /data-version="(\w+)"/.exec(first)?.[1];
  expect((await hana.get("/offers", { "X-Part": `offers=${version}` })).text).toBe(
    "<!doctype html><title>Offers · Offers</title>",
  );
});
