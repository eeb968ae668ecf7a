import type { Settings } from "../../src/settings/settings.ts";
import { eventually } from "../support/eventually.ts";
import { isSignedWith } from "../support/is-signed-with.ts";
import {
  type CallOptions,
  openPlatform,
  type PlatformResponse,
  type PlatformUnderTest,
} from "../support/platform-under-test.ts";
import { openReceiver, type ReceivedRequest, type Receiver } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";

export const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** A rating with every documented field. */
export const rating = { rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" };
export const dana = {
  name: "Dana Kim",
  emailAddress: "dana.kim@example.com",
  profileImageUrl: "https://images.example.com/dana.png",
  ratings: [rating],
};

/** Returns whether the request is signed with `secret`. */
export const isSigned = (request: ReceivedRequest): boolean => isSignedWith(secret, request);

/** A platform with the demo data, and Harbour Hotels' endpoint. */
export interface HarbourFixture {
  platform: PlatformUnderTest;
  /** Harbour Hotels' endpoint. */
  receiver: Receiver;
  /** Calls the API with Harbour Hotels' key, unless `options` contains a different key. */
  callApi(method: string, path: string, options?: CallOptions): Promise<PlatformResponse>;
  /** Calls the portal as Hana. */
  callPortal(method: string, path: string, json?: unknown): Promise<PlatformResponse>;
  /** Calls the worker app as this worker. */
  callApp(workerId: string, method: string, path: string, json?: unknown): Promise<PlatformResponse>;
  /** Saves the endpoint's base URL and secret in the company profile. */
  enterProfile(changes?: object): Promise<PlatformResponse>;
  /** Creates an offer to Amal and Ben, unless `changes` contains `workerIds`. @returns the offer id */
  createOffer(changes?: object, options?: CallOptions): Promise<string>;
  complete(offerId: string, workerIds: readonly string[]): Promise<PlatformResponse>;
  /** Returns the worker's notifications about the offer, oldest first. */
  readNotifications(workerId: string, offerId: string): Promise<{ reason: string; successful: boolean | null }[]>;
  /** Waits until every delivery is acknowledged. @returns the responses to the offer that the endpoint has received */
  waitForReportedResponses(offerId: string): Promise<{ workerId: string; response: string }[]>;
  close(): Promise<void>;
}

export async function openHarbourFixture(settings: Partial<Settings> = {}): Promise<HarbourFixture> {
  const [store] = await anyStore();
  const database = await store.createDatabase();
  const platform = await openPlatform(database, settings);
  const receiver = await openReceiver();
  const withBody = (json?: unknown): CallOptions => (json === undefined ? {} : { json });

  const fixture: HarbourFixture = {
    platform,
    receiver,
    callApi: (method, path, options) => platform.call(method, path, { key: "demo-key-harbour", ...options }),
    async callPortal(method, path, json) {
      const token = await platform.signInPerson("hana@harbour-hotels.example");
      return platform.call(method, `/portal${path}`, { token, ...withBody(json) });
    },
    async callApp(workerId, method, path, json) {
      const token = await platform.signInWorker(workerId);
      return platform.call(method, `/worker-app${path}`, { token, ...withBody(json) });
    },
    enterProfile: (changes) =>
      fixture.callPortal("PUT", "/profile", {
        baseAddress: `${receiver.baseAddress}/hooks`,
        secret,
        suggestsContacts: false,
        ...changes,
      }),
    async createOffer(changes, options) {
      const workerIds = ["worker_amal", "worker_ben"];
      const json = { createdByUserId: "user_hana", title: "Bar", workerIds, ...changes };
      const response = await fixture.callApi("POST", "/offer", { json, ...options });
      if (response.status !== 201) throw new Error(`the offer was rejected: ${response.text}`);
      return response.json<{ id: string }>().id;
    },
    complete: (offerId, workerIds) =>
      fixture.callApi("POST", `/offer/${offerId}/complete?api-version=1.0`, { json: workerIds }),
    async readNotifications(workerId, offerId) {
      const response = await fixture.callApp(workerId, "GET", "/notifications");
      const { notifications } = response.json<{
        notifications: { offerId: string; reason: string; successful: boolean | null }[];
      }>();
      return notifications
        .filter((notification) => notification.offerId === offerId)
        .map(({ reason, successful }) => ({ reason, successful }))
        .reverse();
    },
    async waitForReportedResponses(offerId) {
      // A response is committed with its event, so every earlier response has a delivery by now.
      await eventually("every delivery is acknowledged", async () => {
        const { deliveries } = (await fixture.callPortal("GET", "/deliveries")).json<{
          deliveries: { state: string }[];
        }>();
        return deliveries.every(({ state }) => state === "acknowledged");
      });
      return receiver.requests
        .filter(({ url }) => url === "/hooks/offer/response")
        .map(({ body }) => JSON.parse(body) as { offerId: string; workerId: string; response: string })
        .filter((event) => event.offerId === offerId)
        .map(({ workerId, response }) => ({ workerId, response }));
    },
    async close() {
      await platform.close();
      await receiver.close();
      await database.remove();
    },
  };
  return fixture;
}
