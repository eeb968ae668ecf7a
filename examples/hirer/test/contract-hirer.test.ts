// Runs the hirer against a service that records requests, and compares the requests with spec/interface.md.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

const main = join(import.meta.dirname, "../src/main.ts");
const offer = {
  id: "offer_1",
  title: "Kitchen help",
  details: "Evening service.",
  isHistoric: false,
  // The contract's spelling.
  widthdrawn: true,
  complete: false,
  locationPlaceId: "place_1",
  createdAt: "2099-04-20T09:30:00Z",
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  recipients: [
    { id: 1, workerId: "worker_amal", name: "Amal Haddad", response: "applied", confirmation: "" },
    { id: 2, workerId: "worker_ben", name: "Ben Okafor", response: "declined, perhaps", confirmation: "" },
  ],
};

describe("a hirer", () => {
  let service: Server;
  let child: ChildProcess;
  let baseUrl: string;
  const requests: { line: string; key: unknown; body: string }[] = [];

  beforeAll(async () => {
    service = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const [path = ""] = request.url?.split("?") ?? [];
      requests.push({
        line: `${request.method} ${request.url}`,
        key: request.headers["x-ue-api-subscription-key"],
        body,
      });
      if (path === "/base/offer") response.writeHead(201).end('{"id":"offer_1"}');
      else if (path === "/base/offer/offer_1") response.end(JSON.stringify(offer));
      else response.end();
    }).listen(0, "127.0.0.1");
    await once(service, "listening");
    child = spawn(process.execPath, [main], {
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        OFFERS_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}/base/`,
        OFFERS_API_KEY: "key-of-the-hirer",
        OFFERS_USER_ID: "user_hana",
      },
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (child.stdout === null) throw new Error("The output of the hirer is not piped.");
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    baseUrl = /listening on (http:\/\/\S+)/.exec(String(line))?.[1] ?? "";
  });
  afterAll(async () => {
    const ended = [once(child, "exit"), once(service, "close")];
    child.kill();
    service.close();
    service.closeAllConnections();
    await Promise.all(ended);
  });
  beforeEach(() => {
    requests.length = 0;
  });

  const callHirer = (method: string, path: string, json?: unknown) =>
    fetch(baseUrl + path, {
      method,
      ...(json !== undefined && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(json) }),
    });

  test("creates an offer with POST /offer below the base URL of the service, with the documented fields [interface: Introduction 1b] [interface: Operations CreateOffer]", async () => {
    const response = await callHirer("POST", "/shifts", {
      title: "Kitchen help",
      details: "Evening service.",
      place: "place_1",
      notifyEmail: "chef@harbour.example",
      workers: ["worker_amal", "worker_ben"],
      start: "2099-05-01T18:00:00+02:00",
      end: "2099-05-01T22:00:00Z",
    });
    expect([response.status, await response.json()]).toEqual([201, { shift: "offer_1" }]);
    const [{ line, key, body } = expect.unreachable()] = requests;
    expect([line.split("?")[0], key]).toEqual(["POST /base/offer", "key-of-the-hirer"]);
    expect(JSON.parse(body)).toEqual({
      createdByUserId: "user_hana",
      title: "Kitchen help",
      details: "Evening service.",
      locationPlaceId: "place_1",
      notifyEmailAddress: "chef@harbour.example",
      workerIds: ["worker_amal", "worker_ben"],
      events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
    });
  });

  test("reads an offer with GET /offer/{id}, with every documented field and unknown responses [interface: Offer widthdrawn] [interface: Operations GetOffer]", async () => {
    const response = await callHirer("GET", "/shifts/offer_1");
    expect(await response.json()).toEqual({ ...offer, applicants: ["worker_amal"] });
    expect(requests.map(({ line, body }) => [line.split("?")[0], body])).toEqual([["GET /base/offer/offer_1", ""]]);
  });

  test("completes an offer with POST /offer/{id}/complete?api-version=1.0 with an array of ids [interface: Operations CompleteOffer] [interface: Versioning 1]", async () => {
    expect((await callHirer("POST", "/shifts/offer_1/staff", { workers: ["worker_amal"] })).status).toBe(204);
    expect(requests.map(({ line, body }) => `${line} ${body}`)).toEqual([
      'POST /base/offer/offer_1/complete?api-version=1.0 ["worker_amal"]',
    ]);
  });

  test("withdraws an offer with GET /offer/{id}/withdraw without a body [interface: Operations WithdrawOffer, 1]", async () => {
    expect((await callHirer("POST", "/shifts/offer_1/cancel")).status).toBe(204);
    const [{ line, body } = expect.unreachable()] = requests;
    expect([line.split("?")[0], body]).toEqual(["GET /base/offer/offer_1/withdraw", ""]);
  });
});
