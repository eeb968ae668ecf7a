import {
  type AnyOffersError,
  AuthenticationError,
  BadRequestError,
  type CallOptions,
  ConflictError,
  NotFoundError,
  OffersClient,
  type OffersClientOptions,
  OffersError,
} from "@offers/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type PlatformProcess, startProcess } from "../support/platform-process.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";
import { testSeed } from "../support/test-seed.ts";

/**
 * How the dialects differ for users of the client. `absent` is for an unknown offer, and `closed` for a completed or withdrawn offer.
 * `reused` is the status for a reused idempotency key. `withdrawsUnknown` is whether the withdrawal of an unknown offer succeeds.
 */
const dialects = {
  reference: { absent: [NotFoundError, 404], closed: [ConflictError, 409], reused: 422, withdrawsUnknown: false },
  live: { absent: [NotFoundError, 204], closed: [BadRequestError, 400], reused: 400, withdrawsUnknown: true },
} as const;

const variants = (await anyStore()).flatMap((store) =>
  (Object.keys(dialects) as (keyof typeof dialects)[])
    // The dialect does not depend on the store, so the live dialect runs on only one store.
    .filter((dialect) => dialect === "reference" || store.title === "PGlite")
    .map((dialect) => ({ ...store, dialect })),
);

describe.each(variants)(
  "@offers/client and the platform's process, $dialect on $title",
  ({ createDatabase, dialect }) => {
    const {
      absent: [absentErrorType, absentStatus],
      closed: [closedErrorType, closedStatus],
      reused: reusedStatus,
      withdrawsUnknown,
    } = dialects[dialect];
    let database: TestDatabase;
    let platform: PlatformProcess;
    let baseUrl: string;
    let harbour: OffersClient;
    const createClient = (options: Partial<OffersClientOptions>) =>
      new OffersClient({ baseUrl, apiKey: "demo-key-harbour", maxRetries: 0, ...options });
    beforeAll(async () => {
      database = await createDatabase();
      const settings = { OFFERS_ALLOW_LOOPBACK: "1", OFFERS_BODY_LIMIT_BYTES: "4096", OFFERS_LOG_LEVEL: "info" };
      platform = startProcess(database, { OFFERS_DIALECT: dialect, OFFERS_SEED: testSeed, ...settings });
      baseUrl = await platform.waitForAddress();
      harbour = createClient({});
    });
    afterAll(async () => {
      platform.child.kill("SIGTERM");
      await platform.exited;
      await database.remove();
    });

    const input = {
      createdByUserId: "user_hana",
      title: "Kitchen help",
      workerIds: ["worker_amal", "worker_ben"],
      events: [{ start: "2099-05-01T18:00:00+02:00", end: new Date("2099-05-01T22:00:00Z") }],
    };
    const createOffer = async (call?: CallOptions) => (await harbour.createOffer(input, call)).id;
    /** Calls the portal or the worker app. */
    const send = async (method: string, path: string, body?: object, token?: string) => {
      const headers = { "Content-Type": "application/json", ...(token && { Authorization: `Bearer ${token}` }) };
      const response = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      expect(response.ok).toBe(true);
      return response.status === 204 ? {} : ((await response.json()) as { token?: string });
    };
    const signIn = async (path: string, identity: object) =>
      (await send("POST", path, { ...identity, password: "demo-password" })).token;
    const actAsWorker = async (workerId: string, offerId: string, action: "apply" | "reject") =>
      send(
        "POST",
        `/worker-app/offers/${offerId}/${action}`,
        undefined,
        await signIn("/worker-app/session", { workerId }),
      );
    const catchOffersError = async (call: Promise<unknown>): Promise<AnyOffersError> => {
      const error = await call.then(
        () => "the call succeeded",
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(OffersError);
      return error as AnyOffersError;
    };

    describe("offers", () => {
      test("the client creates, reads, completes and withdraws an offer that workers respond to", async () => {
        const id = await createOffer();
        await actAsWorker("worker_amal", id, "apply");
        await actAsWorker("worker_ben", id, "reject");
        const read = await harbour.getOffer(id);
        expect(read).toMatchObject({ id, title: "Kitchen help", complete: false, widthdrawn: false });
        expect(read.events).toEqual([{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00.000Z" }]);
        expect(read.recipients.map(({ response }) => response)).toEqual(["applied", "rejected"]);
        await expect(harbour.completeOffer(id, ["worker_amal"])).resolves.toBeUndefined();
        await expect(harbour.withdrawOffer(id)).resolves.toBeUndefined();
        await expect(harbour.withdrawOffer(id)).resolves.toBeUndefined();
        expect(await harbour.getOffer(id)).toMatchObject({ complete: true, widthdrawn: true });
      });

      test("an idempotency key creates an offer once, even if a response was lost", async () => {
        let requestCount = 0;
        const clientLosingResponse = createClient({
          serviceHonoursIdempotencyKey: true,
          maxRetries: 1,
          async fetch(url, init) {
            const response = await fetch(url, init);
            requestCount += 1;
            if (requestCount === 1) throw new TypeError("The response was lost.");
            return response;
          },
        });
        const { data, response } = await clientLosingResponse
          .createOffer(input, { idempotencyKey: "lost" })
          .withResponse();
        expect([requestCount, response.headers.get("idempotency-replayed")]).toEqual([2, "true"]);
        expect(await createOffer({ idempotencyKey: "lost" })).toBe(data.id);
      });
    });

    describe("errors", () => {
      test.each<[string, number, string, (id: string) => Promise<unknown>]>([
        ["a field is invalid", 400, "invalid_request", () => harbour.createOffer({ ...input, title: "" })],
        ["the worker has not applied", 400, "worker_not_applied", (id) => harbour.completeOffer(id, ["worker_amal"])],
        ["no worker is selected", 400, "invalid_request", (id) => harbour.completeOffer(id, [])],
        [
          "the version is unsupported",
          400,
          "unsupported_api_version",
          (id) => createClient({ apiVersion: "2.0" }).getOffer(id),
        ],
        [
          "the body is too large",
          413,
          "body_too_large",
          () => harbour.createOffer({ ...input, details: "x".repeat(5_000) }),
        ],
        [
          "the body is not JSON",
          415,
          "unsupported_media_type",
          () =>
            createClient({
              middleware: [
                (request, next) => next({ ...request, headers: { ...request.headers, "content-type": "text/plain" } }),
              ],
            }).createOffer(input),
        ],
        [
          "the idempotency key belongs to a different request",
          reusedStatus,
          "idempotency_key_reused",
          async () => {
            await createOffer({ idempotencyKey: "taken" });
            await harbour.createOffer({ ...input, title: "Another" }, { idempotencyKey: "taken" });
          },
        ],
      ])("the client throws a BadRequestError when %s", async (_, status, code, call) => {
        const error = await catchOffersError(call(await createOffer()));
        expect(error).toBeInstanceOf(BadRequestError);
        expect(error).toMatchObject({ status, problem: { code, status }, requestId: expect.any(String), attempts: 1 });
      });

      test("a BadRequestError names the invalid fields", async () => {
        const { problem } = await catchOffersError(
          harbour.createOffer({ ...input, workerIds: ["worker_amal", "unknown"], createdByUserId: "user_bo" }),
        );
        expect(Object.keys(problem?.errors ?? {}).sort()).toEqual(["createdByUserId", "workerIds[1]"]);
      });

      test("every operation throws an AuthenticationError when the key is wrong", async () => {
        const clientWithUnknownKey = harbour.withApiKey("demo-key-unknown");
        for (const call of [
          () => clientWithUnknownKey.createOffer(input),
          () => clientWithUnknownKey.getOffer("x"),
          () => clientWithUnknownKey.completeOffer("x", ["worker_amal"]),
          () => clientWithUnknownKey.withdrawOffer("x"),
        ]) {
          const error = await catchOffersError(call());
          expect(error).toBeInstanceOf(AuthenticationError);
          expect(error).toMatchObject({ status: 401, problem: { code: "invalid_api_key" } });
        }
      });

      test("reading an unknown or foreign offer throws a NotFoundError", async () => {
        for (const call of [
          () => harbour.getOffer("unknown"),
          async () => harbour.withApiKey("demo-key-bistro").getOffer(await createOffer()),
        ]) {
          const error = await catchOffersError(call());
          expect(error).toBeInstanceOf(absentErrorType);
          expect(error).toMatchObject({ status: absentStatus });
        }
      });

      test("completing an unknown or foreign offer throws the dialect's error", async () => {
        const id = await createOffer();
        await actAsWorker("worker_amal", id, "apply");
        for (const call of [
          () => harbour.completeOffer("unknown", ["worker_amal"]),
          () => harbour.withApiKey("demo-key-bistro").completeOffer(id, ["worker_amal"]),
        ]) {
          const error = await catchOffersError(call());
          expect(error).toBeInstanceOf(dialect === "live" ? BadRequestError : NotFoundError);
          expect(error.problem).toMatchObject({ code: "offer_not_found" });
        }
        expect(await harbour.getOffer(id)).toMatchObject({ complete: false });
      });

      test("withdrawing an unknown or foreign offer fails only if the dialect reports it", async () => {
        const id = await createOffer();
        const calls = [harbour.withdrawOffer("unknown"), harbour.withApiKey("demo-key-bistro").withdrawOffer(id)];
        for (const result of await Promise.all(calls.map((call) => call.safe())))
          expect(result).toMatchObject(withdrawsUnknown ? { ok: true } : { ok: false, error: { status: 404 } });
        expect(await harbour.getOffer(id)).toMatchObject({ widthdrawn: false });
      });

      test("completing an offer that is already complete or withdrawn throws the dialect's error", async () => {
        const id = await createOffer();
        await actAsWorker("worker_amal", id, "apply");
        await harbour.completeOffer(id, ["worker_amal"]);
        const codes = ["offer_completed", "offer_withdrawn"];
        for (const code of codes) {
          const error = await catchOffersError(harbour.completeOffer(id, ["worker_amal"]));
          expect(error).toBeInstanceOf(closedErrorType);
          expect(error).toMatchObject({ status: closedStatus, problem: { code } });
          await harbour.withdrawOffer(id);
        }
      });
    });

    test("an offer that an agency creates for an organisation belongs to that organisation, and so do its events", async () => {
      const [harbourReceiver, crewReceiver] = await Promise.all([openReceiver(), openReceiver()]);
      for (const [emailAddress, { baseAddress }] of [
        ["hana@harbour-hotels.example", harbourReceiver],
        ["ada@crew-agency.example", crewReceiver],
      ] as const) {
        const token = await signIn("/portal/session", { emailAddress });
        const profile = { baseAddress, secret: "a-secret-long-enough", suggestsContacts: false };
        await send("PUT", "/portal/profile", profile, token);
      }
      const crew = createClient({ apiKey: "demo-key-crew" });
      const crewForHarbour = crew.withApiKey("demo-key-crew-for-harbour");

      const { id } = await crewForHarbour.createOffer({ ...input, createdByUserId: "user_ada" });
      const { id: secondId } = await crewForHarbour.createOffer({ ...input, createdByUserId: "user_hana" });
      expect(await harbour.getOffer(id)).toEqual(await crewForHarbour.getOffer(id));
      await harbour.withdrawOffer(secondId);
      expect(await catchOffersError(crew.getOffer(id))).toBeInstanceOf(NotFoundError);

      // None of these keys may create offers in that person's name.
      for (const [client, createdByUserId] of [
        [crewForHarbour, "user_bo"],
        [crew, "user_hana"],
        [harbour, "user_ada"],
      ] as const) {
        const { problem } = await catchOffersError(client.createOffer({ ...input, createdByUserId }));
        expect(problem).toMatchObject({ status: 400, errors: { createdByUserId: [expect.any(String)] } });
      }

      await actAsWorker("worker_amal", id, "apply");
      const listResponseEvents = ({ requests }: Receiver) => requests.filter(({ url }) => url === "/offer/response");
      await eventually("Harbour Hotels gets the response", () => listResponseEvents(harbourReceiver).length === 1);
      expect(JSON.parse(listResponseEvents(harbourReceiver)[0]?.body ?? "")).toMatchObject({
        offerId: id,
        workerId: "worker_amal",
      });
      await crewForHarbour.completeOffer(id, ["worker_amal"]);
      expect(await harbour.getOffer(id)).toMatchObject({ complete: true });
      // The agency receives only the event for its own offer.
      const { id: agencyOfferId } = await crew.createOffer({ ...input, createdByUserId: "user_ada" });
      await actAsWorker("worker_ben", agencyOfferId, "reject");
      await eventually("the agency gets the response", () => listResponseEvents(crewReceiver).length === 1);
      expect(JSON.parse(listResponseEvents(crewReceiver)[0]?.body ?? "")).toMatchObject({
        offerId: agencyOfferId,
        workerId: "worker_ben",
      });
      await Promise.all([harbourReceiver.close(), crewReceiver.close()]);
    });
  },
);
