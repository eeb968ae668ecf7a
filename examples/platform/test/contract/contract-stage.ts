import { createHash } from "node:crypto";
import type { Settings } from "../../src/settings/settings.ts";
import { eventually } from "../support/eventually.ts";
import { type Answer, type CallOptions, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { openReceiver, type ReceivedRequest, type Receiver } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";

export const secret = "9a4f3c52-7c1e-4b57-9e0c-2f4f6f0f6a11";

/** A suggestion with every documented field. */
export const rating = { rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" };
export const dana = {
  name: "Dana Kim",
  emailAddress: "dana.kim@example.com",
  profileImageUrl: "https://images.example.com/dana.png",
  ratings: [rating],
};

/** Checks the documented digest without our code: SHA-256 over the timestamp's text and the secret. */
export function isSigned({ headers }: ReceivedRequest): boolean {
  const digest = createHash("sha256").update(`${headers.timestamp}${secret}`).digest("hex").toUpperCase();
  return headers.authorization === `hmac ${digest}`;
}

/** One platform, and those who meet on it: Harbour Hotels with its system, its endpoint and Hana, and the workers. */
export interface Stage {
  platform: PlatformUnderTest;
  /** The endpoint of Harbour Hotels. */
  receiver: Receiver;
  /** Called by the system of Harbour Hotels, unless another key is given. */
  api(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Called by Hana in the portal. */
  portal(method: string, path: string, json?: unknown): Promise<Answer>;
  /** Called by a worker's app. */
  app(workerId: string, method: string, path: string, json?: unknown): Promise<Answer>;
  /** Hana enters the endpoint's address and secret on the company profile. */
  enterProfile(changes?: object): Promise<Answer>;
  /** To Amal and Ben, unless told otherwise. */
  createOffer(changes?: object, options?: CallOptions): Promise<string>;
  complete(offerId: string, workerIds: readonly string[]): Promise<Answer>;
  /** What the worker's notifications menu says of the offer. */
  told(workerId: string, offerId: string): Promise<{ reason: string; successful: boolean | null }[]>;
  /** The responses to this offer that the endpoint received, once all that was triggered before has arrived. */
  answersTold(offerId: string): Promise<{ workerId: string; response: string }[]>;
  close(): Promise<void>;
}

export async function openStage(settings: Partial<Settings> = {}): Promise<Stage> {
  const [store] = await storesUnderTest();
  const place = await store?.createPlace();
  if (place === undefined) throw new Error("there is always a store");
  const platform = await openPlatform(place, settings);
  const receiver = await openReceiver();
  const withBody = (json?: unknown): CallOptions => (json === undefined ? {} : { json });

  const stage: Stage = {
    platform,
    receiver,
    api: (method, path, options) => platform.call(method, path, { key: "demo-key-harbour", ...options }),
    async portal(method, path, json) {
      const token = await platform.signInPerson("hana@harbour-hotels.example");
      return platform.call(method, `/portal${path}`, { token, ...withBody(json) });
    },
    async app(workerId, method, path, json) {
      const token = await platform.signInWorker(workerId);
      return platform.call(method, `/worker-app${path}`, { token, ...withBody(json) });
    },
    enterProfile: (changes) =>
      stage.portal("PUT", "/profile", {
        ...{ baseAddress: `${receiver.baseAddress}/hooks`, secret, suggestsContacts: false },
        ...changes,
      }),
    async createOffer(changes, options) {
      const workerIds = ["worker_amal", "worker_ben"];
      const json = { createdByUserId: "user_hana", title: "Bar", workerIds, ...changes };
      const response = await stage.api("POST", "/offer", { json, ...options });
      if (response.status !== 201) throw new Error(`the offer was refused: ${response.text}`);
      return response.json<{ id: string }>().id;
    },
    complete: (offerId, workerIds) =>
      stage.api("POST", `/offer/${offerId}/complete?api-version=1.0`, { json: workerIds }),
    async told(workerId, offerId) {
      const menu = await stage.app(workerId, "GET", "/notifications");
      const { notifications } = menu.json<{
        notifications: { offerId: string; reason: string; successful: boolean | null }[];
      }>();
      return notifications
        .filter((entry) => entry.offerId === offerId)
        .map(({ reason, successful }) => ({ reason, successful }))
        .reverse();
    },
    async answersTold(offerId) {
      // Whatever was recorded before is pending or acknowledged by now: an response is committed with its event.
      await eventually("nothing is pending", async () => {
        const { deliveries } = (await stage.portal("GET", "/deliveries")).json<{ deliveries: { state: string }[] }>();
        return deliveries.every(({ state }) => state === "acknowledged");
      });
      return receiver.requests
        .filter(({ url }) => url === "/hooks/offer/response")
        .map(({ body }) => JSON.parse(body) as { offerId: string; workerId: string; response: string })
        .filter((told) => told.offerId === offerId)
        .map(({ workerId, response }) => ({ workerId, response }));
    },
    async close() {
      await platform.close();
      await receiver.close();
      await place.remove();
    },
  };
  return stage;
}
