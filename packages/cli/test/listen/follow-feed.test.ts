import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { standardWebhooks, verifyRequest } from "@offers/webhook-kit";
import { signHeaders } from "@offers/webhook-kit/testing";
import { expect, onTestFinished, test } from "vitest";
import { runOffers } from "../support/run-offers.ts";
import { secrets } from "../support/start-receiver.ts";
import { startRecorder } from "../support/start-recorder.ts";

const secret = secrets.standardWebhooks;
const env = { OFFERS_API_KEY: "key_harbour", WEBHOOK_SECRET: secret };

const createEvent = (position: number) => ({
  id: `event_${position}`,
  type: "WorkerOfferResponse",
  data: { offerId: `offer_${position}`, workerId: "worker_amal", response: "accepted" },
  createdAt: "2026-11-20T08:00:00.000Z",
});

/** Starts the feed of a platform. Tests can change the event count while it runs. */
async function startFeed(eventCount: number) {
  const feed = { eventCount, isDown: false, from: "" };
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "", "http://127.0.0.1").searchParams;
    const after = Number(query.get("after") ?? 0);
    const last = Math.min(feed.eventCount, after + Number(query.get("limit")));
    const events = Array.from({ length: last - after }, (_, index) => createEvent(after + index + 1));
    response.statusCode = feed.isDown ? 503 : 200;
    response.end(JSON.stringify({ events, cursor: `${last}`, more: last < feed.eventCount }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  feed.from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return feed;
}

function createFolder(): string {
  const path = mkdtempSync(join(tmpdir(), "offers-listen-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Starts `offers listen` in a folder, and waits until it prints its URL. */
async function startListening(args: readonly string[], cwd: string) {
  const program = fileURLToPath(new URL("../../dist/offers.js", import.meta.url));
  const scheme = ["--scheme", "standard-webhooks", "--port", "0"];
  const child: ChildProcess = spawn(process.execPath, [program, "listen", ...scheme, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, ...env },
  });
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill(signal);
    await exited;
  };
  onTestFinished(() => stop("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  await expect.poll(() => output.stderr, { timeout: 10_000 }).toContain("Listening on ");
  return { url: /http:\S+:\d+/.exec(output.stderr)?.[0] ?? "", output, stop };
}

/** Pushes an event the way the service does. @returns the response status */
async function push(url: string, position: number, id = `event_${position}`): Promise<number> {
  const body = JSON.stringify(createEvent(position).data);
  const signed = await signHeaders({ secret, scheme: standardWebhooks(), id, body: Buffer.from(body) });
  const headers = { ...signed, "Offers-Delivery-Id": id, "Content-Type": "application/json" };
  return (await fetch(`${url}/offer/response`, { method: "POST", headers, body })).status;
}

const listIds = (received: { headers: Record<string, unknown> }[]) =>
  received.map(({ headers }) => headers["webhook-id"]);
const createIds = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `event_${from + index}`);

test("a listener that missed 200 events forwards each event once and in order while the service retries them [D-146]", async () => {
  const feed = await startFeed(3);
  const { to, received } = await startRecorder();
  const cwd = createFolder();
  const args = ["--from", feed.from, "--forward-to", to];
  const first = await startListening(args, cwd);
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(3);
  await first.stop();

  feed.eventCount = 203;
  const second = await startListening(args, cwd);
  // The service retries the events that it could not push, latest first.
  const pushes = [203, 150, 4, 100, 151].map((position) => push(second.url, position));
  await expect.poll(() => received.length, { timeout: 60_000 }).toBe(203);
  expect(await Promise.all(pushes)).toEqual([200, 200, 200, 200, 200]);
  feed.eventCount = 205;
  expect(await push(second.url, 205)).toBe(200);
  expect(await push(second.url, 205)).toBe(200);
  await second.stop();

  const third = await startListening(args, cwd);
  expect(await push(third.url, 17)).toBe(200);
  await sleep(500);
  expect(third.output.stdout).toContain("It was not forwarded again.");
  expect(listIds(received)).toEqual(createIds(1, 205));
  for (const { rawHeaders, body } of received)
    expect(await verifyRequest({ secret, scheme: standardWebhooks() }, { rawHeaders, body })).toMatchObject({
      ok: true,
    });
}, 90_000);

test("the listener forwards an event again until the receiver acknowledges it, before any later event [D-146]", async () => {
  const feed = await startFeed(3);
  const { to, received } = await startRecorder((index) => (index === 1 || index === 2 ? 500 : 200));
  const { output } = await startListening(["--from", feed.from, "--forward-to", to], createFolder());
  await expect.poll(() => received.length, { timeout: 20_000 }).toBe(5);
  expect(listIds(received)).toEqual(["event_1", "event_2", "event_2", "event_2", "event_3"]);
  expect(output.stdout).toMatch(/event_2 will be forwarded again in 1 s; later\s+events wait/);
}, 30_000);

test("--skip skips one event [D-146]", async () => {
  const feed = await startFeed(3);
  const { to, received } = await startRecorder();
  await startListening(["--from", feed.from, "--forward-to", to, "--skip", "event_2"], createFolder());
  await expect.poll(() => listIds(received), { timeout: 10_000 }).toEqual(["event_1", "event_3"]);
});

test("a listener that was killed continues where it stopped [D-146]", async () => {
  const feed = await startFeed(150);
  const { to, received } = await startRecorder();
  const cwd = createFolder();
  const args = ["--from", feed.from, "--forward-to", to];
  const listener = await startListening(args, cwd);
  await expect.poll(() => received.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(20);
  await listener.stop("SIGKILL");
  await startListening(args, cwd);
  await expect.poll(() => received.at(-1)?.headers["webhook-id"], { timeout: 40_000 }).toBe("event_150");
  // An event in progress may be sent twice, because its acknowledgement is lost with the listener.
  expect([...new Set(listIds(received))]).toEqual(createIds(1, 150));
  expect(received.length).toBeLessThanOrEqual(151);
}, 60_000);

test("the listener forwards a webhook that is not in the feed immediately, and every push byte for byte [D-103] [D-146]", async () => {
  const feed = await startFeed(0);
  const { to, received } = await startRecorder();
  const { url } = await startListening(["--from", feed.from, "--forward-to", to], createFolder());
  expect(await push(url, 1, "delivery_triggered")).toBe(200);
  feed.eventCount = 1;
  const body = JSON.stringify({ ...createEvent(1).data, added: "by a later version" });
  const signed = await signHeaders({ secret, scheme: standardWebhooks(), id: "event_1", body: Buffer.from(body) });
  const headers = { ...signed, "Offers-Delivery-Id": "event_1", Traceparent: "kept" };
  expect((await fetch(`${url}/offer/response`, { method: "POST", headers, body })).status).toBe(200);
  expect(
    (await fetch(`${url}/offer/response`, { method: "POST", headers: { ...headers, "webhook-id": "x" } })).status,
  ).toBe(200);
  expect(listIds(received)).toEqual(["delivery_triggered", "event_1", "x"]);
  expect([received[1]?.headers.traceparent, String(received[1]?.body)]).toEqual(["kept", body]);
});

test("while the feed is down, a push waits for earlier events, and no event is lost [D-146]", async () => {
  const feed = await startFeed(1);
  const { to, received } = await startRecorder();
  const { url, output } = await startListening(["--from", feed.from, "--forward-to", to], createFolder());
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
  Object.assign(feed, { isDown: true, eventCount: 3 });
  const pendingPush = push(url, 3);
  await expect.poll(() => output.stderr, { timeout: 10_000 }).toContain("responded with 503");
  feed.isDown = false;
  expect(await pendingPush).toBe(200);
  expect(listIds(received)).toEqual(["event_1", "event_2", "event_3"]);
}, 30_000);

test("the listener rejects the cursor file of a different platform, and --after replaces the saved cursor", async () => {
  const feed = await startFeed(5);
  const otherFeed = await startFeed(5);
  const cwd = createFolder();
  const { stop, output } = await startListening(["--from", feed.from], cwd);
  await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain("offer_5");
  await stop();
  const args = ["listen", "--port", "0", "--scheme", "standard-webhooks", "--cursor-file", join(cwd, ".offers-cursor")];
  const { code, stderr } = await runOffers([...args, "--from", otherFeed.from], env);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining(`contains the cursor for ${feed.from}. Choose another file`),
  ]);
  const restarted = await startListening(["--from", feed.from, "--after", "3", "--json"], cwd);
  await expect.poll(() => restarted.output.stdout.trim().split("\n").length, { timeout: 10_000 }).toBe(2);
  const lines = restarted.output.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map(({ id, target }) => [id, target])).toEqual([
    ["event_4", "/offer/response"],
    ["event_5", "/offer/response"],
  ]);
}, 30_000);

test("a recording contains each verified event once, and offers replay signs it again", async () => {
  const feed = await startFeed(2);
  const cwd = createFolder();
  const file = join(cwd, "events.jsonl");
  const { url, output, stop } = await startListening(["--from", feed.from, "--record", file], cwd);
  await expect.poll(() => output.stdout, { timeout: 10_000 }).toContain("offer_2");
  feed.eventCount = 3;
  await push(`${url}/offers`, 3);
  await push(`${url}/offers`, 3);
  // A forged webhook must not be given a valid signature.
  expect((await fetch(`${url}/offer/response`, { method: "POST", body: "{}" })).status).toBe(401);
  expect((await fetch(`${url}/test`)).status).toBe(200);
  await stop();
  const recordedWebhooks = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(recordedWebhooks.map(({ id, path }) => `${id} ${path}`)).toEqual(
    createIds(1, 3).map((id) => `${id} /offer/response`),
  );

  const { to, received } = await startRecorder((index) => (index === 1 ? 500 : 200));
  const args = ["replay", file, "--to", to, "--scheme", "standard-webhooks"];
  const firstReplay = await runOffers(args, env);
  expect([firstReplay.code, firstReplay.stderr]).toEqual([1, expect.stringContaining("continue with --start-at 2.")]);
  const { code, stdout } = await runOffers([...args, "--start-at", "2"], env);
  expect([code, stdout]).toEqual([0, expect.stringContaining("2 webhooks sent again.")]);
  expect(listIds(received)).toEqual(["event_1", "event_2", "event_2", "event_3"]);
  for (const { rawHeaders, body } of received)
    expect(await verifyRequest({ secret, scheme: standardWebhooks() }, { rawHeaders, body })).toMatchObject({
      ok: true,
    });
  await runOffers([...args, "--new-ids"], env);
  expect(new Set(listIds(received)).size).toBe(6);
}, 30_000);

test.each([
  ["missing file", "no-such-file", "cannot be read (ENOENT)"],
  ["file in another format", fileURLToPath(new URL("../../package.json", import.meta.url)), "Line 1 of"],
])("offers replay rejects a %s before it sends anything", async (_, file, message) => {
  const { to, received } = await startRecorder();
  const { code, stderr } = await runOffers(["replay", file, "--to", to], { WEBHOOK_SECRET: secrets.timestampDigest });
  expect([code, received.length]).toEqual([2, 0]);
  expect(stderr).toContain(message);
});

test("a listener that stops responds with 503 to a push that is waiting for earlier events [D-146]", async () => {
  const feed = await startFeed(1);
  const { to, received } = await startRecorder();
  const { url, output, stop } = await startListening(["--from", feed.from, "--forward-to", to], createFolder());
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1);
  Object.assign(feed, { isDown: true, eventCount: 2 });
  const pendingPush = push(url, 2);
  await expect.poll(() => output.stderr, { timeout: 10_000 }).toContain("responded with 503");
  await stop();
  expect(await pendingPush).toBe(503);
}, 30_000);
