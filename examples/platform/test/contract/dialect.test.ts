import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const [store] = await anyStore();
const input = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };
const version = "?api-version=1.0";

/** Tests the responses. client.test.ts tests how the client reads them. */
describe("the live dialect", () => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    database = await store.createDatabase();
    platform = await openPlatform(database, { dialect: "live" });
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const call = (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) =>
    platform.call(method, path, { key: "demo-key-harbour", headers, ...(json !== undefined && { json }) });
  const create = async () => (await call("POST", `/offer${version}`, input)).text;
  const apply = async (id: string) =>
    platform.call("POST", `/worker-app/offers/${id}/apply`, { token: await platform.signInWorker("worker_amal") });

  test("the live dialect responds to a creation, even a retry, with 200 and the id as plain text [D-51]", async () => {
    const key = { "Idempotency-Key": "k" };
    const created = await call("POST", `/offer${version}`, input, key);
    expect(created).toMatchObject({ status: 200, text: expect.stringMatching(/^offer_[\w-]+$/) });
    expect(created.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(created.headers.has("location")).toBe(false);
    expect(await call("POST", `/offer${version}`, input, key)).toMatchObject({ status: 200, text: created.text });
  });

  test("the live dialect responds to a completion and a withdrawal with 204 [D-51]", async () => {
    const id = await create();
    await apply(id);
    const completion = await call("POST", `/offer/${id}/complete${version}`, ["worker_amal"]);
    expect(completion).toMatchObject({ status: 204, text: "" });
    expect(await call("GET", `/offer/${id}/withdraw${version}`)).toMatchObject({ status: 204, text: "" });
    const read = await call("GET", `/offer/${id}${version}`);
    expect([read.status, read.json()]).toMatchObject([200, { id, complete: true, widthdrawn: true }]);
  });

  test("the live dialect responds to a read or withdrawal of an unknown offer with 204, without any effect [D-51]", async () => {
    const id = await create();
    for (const [path, key] of [
      ["/offer/unknown", "demo-key-harbour"],
      [`/offer/${id}`, "demo-key-bistro"],
    ] as const)
      for (const action of ["", "/withdraw"])
        expect(await platform.call("GET", path + action + version, { key })).toMatchObject({ status: 204, text: "" });
    expect((await call("GET", `/offer/${id}${version}`)).json()).toMatchObject({ widthdrawn: false });
  });

  test.each(["", "?api-version=1", "?api-version=2.0", "?api-version=1.0&api-version=1.0"])(
    "the live dialect rejects the version %j on every operation [D-51]",
    async (query) => {
      for (const response of [
        await call("POST", `/offer${query}`, input),
        await call("GET", `/offer/unknown${query}`),
        await call("POST", `/offer/unknown/complete${query}`, ["worker_amal"]),
        await call("GET", `/offer/unknown/withdraw${query}`),
      ])
        expect(response.json()).toMatchObject({ status: 400, code: "unsupported_api_version" });
    },
  );

  test("the live dialect rejects a completion with 400 and the reference dialect's problem, never with 404 or 409 [D-51]", async () => {
    /** Asserts that a completion of the offer gets 400 with a problem. @returns the problem */
    const expectRejectedCompletion = async (offerId: string) => {
      const response = await call("POST", `/offer/${offerId}/complete${version}`, ["worker_amal"]);
      expect(response.status).toBe(400);
      expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
      return response.json<{ status: number; code: string }>();
    };
    const id = await create();
    expect(await expectRejectedCompletion("unknown")).toMatchObject({
      status: 400,
      code: "offer_not_found",
      title: "No such offer",
    });
    expect(await expectRejectedCompletion(id)).toMatchObject({
      code: "worker_not_applied",
      errors: { "[0]": [expect.any(String)] },
    });
    await apply(id);
    await call("POST", `/offer/${id}/complete${version}`, ["worker_amal"]);
    expect(await expectRejectedCompletion(id)).toMatchObject({ status: 400, code: "offer_completed" });
    await call("GET", `/offer/${id}/withdraw${version}`);
    expect(await expectRejectedCompletion(id)).toMatchObject({ status: 400, code: "offer_withdrawn" });
  });

  test("the live dialect applies only to the API, not to the worker app", async () => {
    const id = await create();
    await call("GET", `/offer/${id}/withdraw${version}`);
    expect((await apply(id)).json()).toMatchObject({ status: 409, code: "offer_withdrawn" });
    expect((await apply("unknown")).json()).toMatchObject({ status: 404, code: "offer_not_found" });
  });
});
