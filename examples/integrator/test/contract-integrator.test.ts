// Runs the integrator, and tests its endpoints against spec/interface.md.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const main = join(import.meta.dirname, "../src/main.ts");
const secret = "a-secret-of-the-company-profile";
const search = { userEmailAddresses: ["hana@harbour-hotels.example"] };
const workerResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" };

/** Computes the signature headers without our packages. The digest is the SHA-256 of the timestamp string and the secret. */
function signatureHeaders(timestamp = new Date().toISOString(), signingSecret = secret): Record<string, string> {
  const digest = createHash("sha256").update(`${timestamp}${signingSecret}`).digest("hex").toUpperCase();
  return { Timestamp: timestamp, Authorization: `hmac ${digest}` };
}

describe("an integrator", () => {
  let child: ChildProcess;
  let baseUrl: string;
  beforeAll(async () => {
    child = spawn(process.execPath, [main], {
      env: { PATH: process.env.PATH, PORT: "0", WEBHOOK_SECRET: secret },
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (child.stdout === null) throw new Error("The output of the integrator is not piped.");
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    baseUrl = /listening on (http:\/\/\S+)/.exec(String(line))?.[1] ?? "";
  });
  afterAll(async () => {
    const exited = once(child, "exit");
    child.kill();
    await exited;
  });

  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${baseUrl}/offers${path}`, { headers });
  const post = (path: string, json: unknown, headers = signatureHeaders()) =>
    fetch(`${baseUrl}/offers${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(json),
    });
  const readRoster = async () =>
    (await fetch(`${baseUrl}/roster`)).json() as Promise<{ offers: object; sharedWith: string[] }>;

  test("responds with 200 and no body to GET /test from any sender [interface: Webhooks Test] [interface: Authentication 3]", async () => {
    for (const headers of [
      {},
      signatureHeaders(),
      signatureHeaders(undefined, "another secret"),
      { Authorization: "nonsense" },
    ])
      expect((await get("/test", headers)).status).toBe(200);
  });

  test("responds with 200 to GET /test/auth only when the headers prove knowledge of the secret [interface: Webhooks Test authorisation] [interface: Authentication 1c, 2]", async () => {
    const { Timestamp = "", Authorization = "" } = signatureHeaders();
    const oldTimestamp = new Date(Date.now() - 600_000).toISOString();
    expect((await get("/test/auth", signatureHeaders())).status).toBe(200);
    for (const headers of [
      {},
      { Timestamp },
      { Authorization },
      signatureHeaders(oldTimestamp),
      signatureHeaders(undefined, "another secret"),
    ] as Record<string, string>[])
      expect((await get("/test/auth", headers)).status).toBe(401);
  });

  test("rejects every other request that does not prove knowledge of the secret, without processing it [interface: Authentication 1b, 1c]", async () => {
    const forged = signatureHeaders(undefined, "another secret");
    for (const headers of [{}, forged]) {
      expect((await post("/offer/response", { ...workerResponse, offerId: "forged" }, headers)).status).toBe(401);
      expect((await get("/contact/new/worker_forged", headers)).status).toBe(401);
      const response = await post("/contact-suggestions", search, headers);
      expect([response.status, await response.text()]).toEqual([401, expect.not.stringContaining("Dana")]);
    }
    expect(JSON.stringify(await readRoster())).not.toContain("forged");
    expect((await post("/offer/response", workerResponse)).status).toBe(200);
    expect(await readRoster()).toMatchObject({ offers: { offer_1: { worker_amal: "accepted" } } });
  });

  test("reads an added contact from the path alone, and responds with 200 and no body [D-12] [interface: Webhooks Worker Added Contact] [interface: Events Worker Added Contact]", async () => {
    const response = await get("/contact/new/worker%2Famal", signatureHeaders());
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect((await readRoster()).sharedWith).toEqual(["worker/amal"]);
  });

  test("accepts a search only with userEmailAddresses, with or without a filter, each of the correct type [D-125] [interface: Search filter, userEmailAddresses] [interface: Webhooks Contact suggestions]", async () => {
    const getStatus = async (json: unknown) => (await post("/contact-suggestions", json)).status;
    expect([await getStatus(search), await getStatus({ ...search, filter: "chef" })]).toEqual([200, 200]);
    expect(await getStatus({ userEmailAddresses: "hana@harbour-hotels.example" })).toBe(200);
    for (const json of [{}, [], "x", { filter: "chef" }, { filter: "chef", userEmailAddresses: null }])
      expect(await getStatus(json)).toBe(400);
    for (const userEmailAddresses of [[7], ["hana"], {}]) expect(await getStatus({ userEmailAddresses })).toBe(400);
    // D-94: null means "no filter", and a number is read as a string.
    for (const filter of [null, 7]) expect(await getStatus({ ...search, filter })).toBe(200);
    for (const filter of [["chef"], true]) expect(await getStatus({ ...search, filter })).toBe(400);
  });

  test("suggests people by its own rules, which match the user's email addresses and the filter [interface: Overview 5f]", async () => {
    const fetchSuggestedNames = async (json: object) => {
      const suggestions = (await (await post("/contact-suggestions", json)).json()) as { name: string }[];
      return suggestions.map(({ name }) => name);
    };
    expect(await fetchSuggestedNames(search)).toEqual(["Dana Kim", "Farah Aziz"]);
    expect(await fetchSuggestedNames({ ...search, filter: "bar" })).toEqual(["Farah Aziz"]);
    expect(await fetchSuggestedNames({ userEmailAddresses: ["stranger@example.com"] })).toEqual([]);
  });

  test("accepts a body of 256 KiB and rejects one byte more [D-24] [interface: Limits 1]", async () => {
    const unpaddedLength = JSON.stringify({ ...workerResponse, padding: "" }).length;
    const createBody = (length: number) => ({ ...workerResponse, padding: "x".repeat(length - unpaddedLength) });
    expect((await post("/offer/response", createBody(256 * 1024))).status).toBe(200);
    expect((await post("/offer/response", createBody(256 * 1024 + 1))).status).toBe(413);
  });
});
