// Runs every tab on the operation pages against the platform, and every tab on the event pages against a receiver built with the kit.
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { OffersClient } from "@offers/client";
import { webhookListener } from "@offers/webhook-kit/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type DemoPlatform, startDemoPlatform } from "../../processes/demo-platform.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const secret = "demo-webhook-secret";

let folder: string;
beforeAll(async () => {
  // The folder is in the repository, so that Node finds the packages by name.
  await mkdir(join(root, ".cache"), { recursive: true });
  folder = await mkdtemp(join(root, ".cache", "tabs-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Tab {
  page: string;
  label: string;
  language: string;
  code: string;
}

function readTabs(pattern: string): Tab[] {
  return globSync(pattern, { cwd: root })
    .sort()
    .flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^== (.+)\n\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
        ([, label = "", language = "", code = ""]) => ({ page: basename(file, ".md"), label, language, code }),
      ),
    );
}

/** How to run code in each language. */
const interpreters: Record<string, { program: string; options: readonly string[]; extension: string }> = {
  ts: { program: process.execPath, options: ["--disable-warning=ExperimentalWarning"], extension: "ts" },
  sh: { program: "sh", options: ["-e"], extension: "sh" },
  python: { program: "python3", options: [], extension: "py" },
};

/** Runs the code of a tab as a reader would. @returns its output */
async function runTab({ language, code }: Tab, env: Record<string, string> = {}): Promise<string> {
  const interpreter = interpreters[language];
  if (interpreter === undefined) throw new Error(`this test cannot run ${language}`);
  const { program, options, extension } = interpreter;
  const file = join(folder, `tab.${extension}`);
  await writeFile(file, code);
  const { stdout } = await run(program, [...options, file], { env: { ...process.env, ...env }, timeout: 60_000 });
  return stdout;
}

describe("the operations", () => {
  let platform: DemoPlatform;
  let offers: OffersClient;
  let id: string;
  let receiver: Server;
  beforeAll(async () => {
    platform = await startDemoPlatform();
    receiver = createServer(webhookListener({ secret, onEvent: () => undefined })).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    await registerReceiver(platform.address, (receiver.address() as AddressInfo).port);
    offers = new OffersClient({ baseUrl: platform.address, apiKey: "demo-key-harbour" });
  });
  afterAll(async () => {
    await platform.stop();
    receiver.close();
  });
  beforeEach(async () => {
    ({ id } = await offers.createOffer({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] }));
    await applyToOffer(platform.address, id);
  });

  const tabs = readTabs("docs/operations/*.md").filter(({ language }) => language !== "json");

  test("the site shows seven operations, each in three languages", () =>
    expect(tabs.map(({ label }) => label)).toEqual(Array(7).fill(["TypeScript", "curl", "Python"]).flat()));

  test.each(tabs)("$page in $label", async (tab) => {
    const code = tab.code
      .replaceAll("http://127.0.0.1:3000", platform.address)
      .replaceAll("offer_4f1c2a", id)
      .replaceAll("019adf3c-5f1e-7c41-9c0e-3a0f8d5b7e21", await readLastEventId(platform.address));
    const runUntilOutput = async () => {
      const output = await runTab({ ...tab, code });
      expect(output).not.toBe("");
      return output;
    };
    // A delivery that is still pending is not redelivered, so repeat the request.
    const output =
      tab.page === "redeliver-event"
        ? await vi.waitFor(runUntilOutput, { timeout: 20_000 })
        : await runTab({ ...tab, code });
    if (tab.page === "list-events") expect(output).toMatch(/WorkerOfferResponse/);
    if (tab.page === "redeliver-events") expect(output).toMatch(/redelivered/);
    const offer = await offers.getOffer(id);
    if (tab.page === "create-offer") expect(output).toMatch(/offer_(?!4f1c2a)/);
    if (tab.page === "get-offer") expect(output).toMatch(/worker_amal/);
    expect([offer.complete, offer.widthdrawn]).toEqual([tab.page === "complete-offer", tab.page === "withdraw-offer"]);
  });
});

const headers = { "X-UE-Api-Subscription-Key": "demo-key-harbour" };

async function readLastEventId(address: string): Promise<string> {
  const response = await fetch(`${address}/events?limit=1000`, { headers });
  const { events } = (await response.json()) as { events: { id: string }[] };
  return events.at(-1)?.id ?? "";
}

/** Signs in to the portal and saves the receiver's URL in the company profile. */
async function registerReceiver(address: string, port: number): Promise<void> {
  const send = (method: string, path: string, token: string | undefined, body: object) =>
    fetch(`${address}/portal/${path}`, {
      method,
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  const account = { emailAddress: "hana@harbour-hotels.example", password: "demo-password" };
  const { token } = (await (await send("POST", "session", undefined, account)).json()) as { token: string };
  const profile = { baseAddress: `http://127.0.0.1:${port}`, secret, suggestsContacts: false };
  const response = await send("PUT", "profile", token, profile);
  expect(response.status, await response.text()).toBe(200);
}

/** Opens the offer and applies to it, as a worker does in the app. */
async function applyToOffer(address: string, offerId: string): Promise<void> {
  const post = (path: string, token: string | undefined, body: object) =>
    fetch(`${address}/worker-app/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
  const session = await post("session", undefined, { workerId: "worker_amal", password: "demo-password" });
  const { token } = (await session.json()) as { token: string };
  await post(`offers/${offerId}/open`, token, {});
  expect((await post(`offers/${offerId}/apply`, token, {})).ok).toBe(true);
}

describe("the events", () => {
  const handledTypes: string[] = [];
  let receiver: Server;
  let address: string;
  beforeAll(async () => {
    receiver = createServer(
      webhookListener({
        basePath: "/offers",
        secret,
        onEvent: ({ type }) => handledTypes.push(type),
        suggestContacts: () => {
          handledTypes.push("ContactSuggestions");
          return [];
        },
      }),
    ).listen(0, "127.0.0.1");
    await new Promise((resolve) => receiver.once("listening", resolve));
    address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  });
  afterAll(() => receiver.close());

  const tabs = readTabs("docs/events/[!p]*.md").filter(({ language }) => language === "sh");

  test("the site shows seven events, each sent with the offers command and with curl", () =>
    expect(tabs.map(({ label }) => label)).toEqual(Array(7).fill(["offers", "curl"]).flat()));

  test.each(tabs)("$page with $label", async (tab) => {
    handledTypes.length = 0;
    const program = `${process.execPath} ${join(root, "packages/cli/dist/offers.js")}`;
    const code = tab.code.replaceAll("http://127.0.0.1:3001", address).replace(/^offers /, `${program} `);
    expect(await runTab({ ...tab, code }, { WEBHOOK_SECRET: secret })).toMatch(/200/);
    const isCheck = tab.page.startsWith("test");
    const type = tab.page.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
    expect(handledTypes).toEqual(isCheck ? [] : [type]);
  });

  test("the kit accepts the signatures on the pages", async () => {
    const requests = globSync("docs/events/[!p]*.md", { cwd: root }).flatMap((file) =>
      [...readFileSync(join(root, file), "utf8").matchAll(/^```http\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text),
    );
    expect(requests.length).toBe(7);
    const { timestampDigest } = await import("@offers/webhook-kit");
    for (const text of requests) {
      const { Timestamp, Authorization } = Object.fromEntries(
        [...text.matchAll(/^(\S+): (.*)$/gm)].map(([, name, value]) => [name, value]),
      );
      if (text.startsWith("GET /offers/test HTTP")) expect(Authorization).toBeUndefined();
      else
        expect(timestampDigest().sign({ secret, now: new Date(Timestamp ?? "") })).toEqual({
          Timestamp,
          Authorization,
        });
      const [, body = ""] = text.split("\n\n");
      const [, length] = /^content-length: (\d+)$/m.exec(text) ?? [];
      expect(Number(length ?? 0)).toBe(Buffer.byteLength(body.trim()));
    }
  });
});
