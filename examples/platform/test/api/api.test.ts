import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { input, now, useOffersApi } from "./use-offers-api.ts";

const today = now.toISOString().slice(0, 10);

describe.each(await anyStore())("the offers API on $title", ({ createDatabase }) => {
  const api = useOffersApi(createDatabase);
  const { key, call, post, create, act, complete, readNotificationReasons, withPlatformStopped } = api;

  describe("offers", () => {
    test("an offer is created and read back unchanged", async () => {
      const created = await post("/offer", input);
      const { id } = created.json<{ id: string }>();
      expect(created).toMatchObject({ status: 201 });
      expect(created.headers.get("location")).toBe(`/offer/${id}`);

      const read = await call("GET", `/offer/${id}`);
      const recipient = { id: expect.any(Number), response: "none", confirmation: "" };
      expect(read.json()).toEqual({
        id,
        title: input.title,
        details: input.details,
        isHistoric: false,
        widthdrawn: false,
        complete: false,
        locationPlaceId: input.locationPlaceId,
        createdAt: expect.any(String),
        events: input.events,
        recipients: [
          { ...recipient, workerId: "worker_cleo", name: "Cleo Martin" },
          { ...recipient, workerId: "worker_amal", name: "Amal Haddad" },
          { ...recipient, workerId: "worker_ben", name: "Ben Okafor" },
        ],
      });
    });

    test("an offer requires only a creator, a title and a worker", async () => {
      const id = await create({
        details: undefined,
        locationPlaceId: undefined,
        notifyEmailAddress: undefined,
        events: undefined,
      });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({
        details: "",
        locationPlaceId: "",
        events: [],
        isHistoric: false,
      });
    });

    test("an offer shows each worker's current response and, once complete, the confirmation [interface: Overview 4] [interface: States 1b] [interface: Operations GetOffer]", async () => {
      const id = await create();
      expect((await act("worker_amal", id, "apply")).status).toBe(204);
      expect((await act("worker_ben", id, "apply")).status).toBe(204);
      expect((await act("worker_ben", id, "reject")).status).toBe(204);
      expect((await complete(id, ["worker_amal"])).status).toBe(204);
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({
        complete: true,
        widthdrawn: false,
        recipients: [
          { workerId: "worker_cleo", response: "none", confirmation: "" },
          { workerId: "worker_amal", response: "applied", confirmation: "confirmed" },
          { workerId: "worker_ben", response: "rejected", confirmation: "" },
        ],
      });
      await eventually(
        "all three are notified",
        async () => (await readNotificationReasons("worker_cleo", id)).length === 2,
      );
      expect(await readNotificationReasons("worker_amal", id)).toEqual(["offer", "successful"]);
      expect(await readNotificationReasons("worker_ben", id)).toEqual(["offer", "unsuccessful"]);
      expect(await readNotificationReasons("worker_cleo", id)).toEqual(["offer", "unsuccessful"]);
    });

    test("an offer can be withdrawn in any state, and its workers are notified once [D-10] [interface: Errors 3]", async () => {
      const id = await create({ workerIds: ["worker_dana"] });
      await act("worker_dana", id, "apply");
      await complete(id, ["worker_dana"]);
      for (const _ of [1, 2, 3])
        expect(await call("GET", `/offer/${id}/withdraw`)).toMatchObject({ status: 200, text: "" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ complete: true, widthdrawn: true });
      await eventually(
        "the worker is notified of the withdrawal",
        async () => (await readNotificationReasons("worker_dana", id)).length === 3,
      );
      // Read the rows, because the menu would show a notification once even if it was sent twice.
      const rows = await withPlatformStopped(({ db }) =>
        db
          .selectFrom("notifications")
          .select(["device_id", "reason"])
          .where("offer_id", "=", id)
          .orderBy("id")
          .execute(),
      );
      const device = { device_id: "worker_dana_device_1" };
      expect(rows).toEqual(["offer", "successful", "withdrawn"].map((reason) => ({ ...device, reason })));
    });

    test("an offer for work that ended today can be created", async () => {
      const id = await create({ events: [{ start: `${today}T00:00:00Z`, end: `${today}T00:00:00.001Z` }] });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ isHistoric: true });
    });

    test("non-English and dangerous text in an offer is stored unchanged", async () => {
      const title = `Küche 厨房 👩‍🍳 '; drop table offers; -- <b>`;
      const id = await create({ title, notifyEmailAddress: "φίλη@παράδειγμα.ελ" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ title });
    });
  });

  describe("API keys", () => {
    test.each([
      ["missing", {}],
      ["wrong", { "X-UE-Api-Subscription-Key": "demo-key-harbou" }],
      ["empty", { "X-UE-Api-Subscription-Key": "" }],
      ["sent twice", { "X-UE-Api-Subscription-Key": "demo-key-harbour, demo-key-harbour" }],
      ["sent in a different header", { Authorization: "Bearer demo-key-harbour" }],
    ])("an API key that is %s gets 401 on every operation [D-18] [interface: Authentication 5]", async (_, headers) => {
      for (const [method, path] of [
        ["POST", "/offer"],
        ["GET", "/offer/unknown"],
        ["POST", "/offer/unknown/complete"],
        ["GET", "/offer/unknown/withdraw"],
      ] as const) {
        const response = await api.platform.call(method, path, { headers, ...(method === "POST" && { body: "{" }) });
        expect(response).toMatchObject({ status: 401 });
        expect(response.json()).toMatchObject({ code: "invalid_api_key" });
      }
    });

    test("the API key never appears in the log", () => expect(api.platform.logLines.join()).not.toContain(key));
  });

  describe("another organisation's offer", () => {
    test("another organisation's offer gets the same 404 as an unknown offer [D-20] [interface: Errors 3]", async () => {
      const id = await create();
      const problems = [];
      for (const path of [`/offer/${id}`, "/offer/unknown", "/offer/%00", `/offer/${"x".repeat(4_000)}`]) {
        const foreignKey = "demo-key-bistro";
        problems.push((await api.platform.call("GET", path, { key: foreignKey })).json());
        problems.push((await api.platform.call("GET", `${path}/withdraw`, { key: foreignKey })).json());
        const completion = { key: foreignKey, json: ["worker_amal"] };
        problems.push((await api.platform.call("POST", `${path}/complete?api-version=1.0`, completion)).json());
      }
      for (const problem of problems) expect(problem).toEqual({ ...Object(problems[0]), instance: expect.any(String) });
      expect(problems[0]).toMatchObject({ status: 404, code: "offer_not_found" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ widthdrawn: false });
    });
  });

  describe("api-version", () => {
    test.each([
      "?api-version=1",
      "?api-version=2.0",
      "?api-version=",
      "?api-version=1.0&api-version=1.0",
      "?api-version[]=1.0",
      "?api-version[a]=2.0&api-version=1.0",
    ])("the query %s gets 400 on every operation [D-27] [interface: Versioning 2]", async (query) => {
      const id = await create();
      for (const response of [
        await post(`/offer${query}`, input),
        await call("GET", `/offer/${id}${query}`),
        await post(`/offer/${id}/complete${query}`, ["worker_amal"]),
        await call("GET", `/offer/${id}/withdraw${query}`),
      ]) {
        expect(response.status).toBe(400);
        expect(response.json()).toMatchObject({
          code: "unsupported_api_version",
          errors: { "api-version": [expect.any(String)] },
        });
      }
    });

    test("api-version is required only to complete an offer", async () => {
      const id = await create();
      expect((await post(`/offer/${id}/complete`, ["worker_amal"])).json()).toMatchObject({
        status: 400,
        code: "unsupported_api_version",
      });
      expect((await call("GET", `/offer/${id}?api-version=1.0`)).status).toBe(200);
    });
  });

  describe("HTTP", () => {
    test.each([
      ["GET", "/offer", "POST"],
      ["DELETE", "/offer/x", "GET, HEAD"],
      ["POST", "/offer/x", "GET, HEAD"],
      ["GET", "/offer/x/complete", "POST"],
      ["POST", "/offer/x/withdraw", "GET"],
      ["HEAD", "/offer/x/withdraw", "GET"],
      ["OPTIONS", "/offer", "POST"],
    ])("%s %s gets 405 with the allowed methods [D-19] [D-52]", async (method, path, allow) => {
      const response = await call(method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe(allow);
    });

    test("HEAD on withdraw does not withdraw, and HEAD on an offer reads it [D-10]", async () => {
      const id = await create();
      await call("HEAD", `/offer/${id}/withdraw`);
      expect(await call("HEAD", `/offer/${id}`)).toMatchObject({ status: 200, text: "" });
      expect((await call("GET", `/offer/${id}`)).json()).toMatchObject({ widthdrawn: false });
    });

    test.each(["/Offer", "/offer/", "/offer/x/y", "/offer/x/withdraw/"])("the unknown path %s gets 404", async (path) =>
      expect((await call("GET", path)).json()).toMatchObject({ status: 404, code: "not_found" }),
    );

    test("a path that cannot be decoded gets 400", async () =>
      expect((await call("GET", "/offer/%E0%A4%A")).json()).toMatchObject({ status: 400, code: "malformed_url" }));

    test("every response has a request id, forbids caching and reveals no server software [D-53]", async () => {
      for (const response of [await call("GET", `/offer/${await create()}`), await call("GET", "/nowhere")]) {
        expect(response.headers.get("x-request-id")).toMatch(/^[\w-]{36}$/);
        expect(response.headers.get("cache-control")).toBe("no-store");
        for (const name of ["etag", "x-powered-by"]) expect(response.headers.has(name)).toBe(false);
      }
      const { instance } = (await call("GET", "/nowhere")).json<{ instance: string }>();
      expect(instance).toMatch(/^urn:offers:request:[\w-]{36}$/);
    });

    test("a request is logged with its route, never with its path", async () => {
      const id = await create();
      await call("GET", `/offer/${id}`);
      const isRequestLine = (line: string) => line.includes('"route":"/offer/:id"') && line.includes("http.response");
      await eventually("the line is written", () => api.platform.logLines.some(isRequestLine));
      expect(JSON.parse(api.platform.logLines.find(isRequestLine) ?? "")).toMatchObject({
        method: "GET",
        status: expect.any(Number),
      });
      expect(api.platform.logLines.join()).not.toContain(id);
    });
  });

  test("the platform reports that it is alive and ready", async () => {
    expect((await api.platform.call("GET", "/healthz")).status).toBe(200);
    expect((await api.platform.call("GET", "/readyz")).status).toBe(200);
  });
});
