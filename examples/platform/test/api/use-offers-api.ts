import { afterAll, beforeAll, expect } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import {
  type CallOptions,
  openPlatform,
  type PlatformResponse,
  type PlatformUnderTest,
} from "../support/platform-under-test.ts";
import type { StoreUnderTest, TestDatabase } from "../support/stores/stores.ts";

const key = "demo-key-harbour";

// The time is fixed so that the date does not change during a test.
export const now = new Date();

/** An offer with every field. It lists one worker twice. */
export const input = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  details: "Evening service.",
  locationPlaceId: "place_harbour_kitchen",
  notifyEmailAddress: "hana@harbour-hotels.example",
  workerIds: ["worker_cleo", "worker_amal", "worker_ben", "worker_amal"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00.250+00:00" }],
};

/** A platform, and functions that call its offers API with Harbour Hotels' key. */
export interface OffersApi {
  readonly key: string;
  readonly platform: PlatformUnderTest;
  call(method: string, path: string, options?: CallOptions): Promise<PlatformResponse>;
  post(path: string, json: unknown): Promise<PlatformResponse>;
  /** Creates an offer. @returns the offer id */
  create(changes?: object): Promise<string>;
  /** Performs an action, such as `apply`, in the worker app. */
  act(workerId: string, offerId: string, action: string): Promise<PlatformResponse>;
  complete(offerId: string, workerIds: unknown): Promise<PlatformResponse>;
  /** Returns the reasons of the worker's notifications about the offer, oldest first. */
  readNotificationReasons(workerId: string, offerId: string): Promise<string[]>;
  /** Stops the platform, passes its store to `read`, and starts the platform again. @returns the result of `read` */
  withPlatformStopped<T>(read: (store: Store) => Promise<T>): Promise<T>;
}

/** Opens a platform for the tests in a describe block. */
export function useOffersApi(createDatabase: StoreUnderTest["createDatabase"]): OffersApi {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  const open = () => openPlatform(database, {}, () => now);
  beforeAll(async () => {
    database = await createDatabase();
    platform = await open();
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const api: OffersApi = {
    key,
    get platform() {
      return platform;
    },
    call: (method, path, options = {}) => platform.call(method, path, { key, ...options }),
    post: (path, json) => api.call("POST", path, { json }),
    async create(changes = {}) {
      const response = await api.post("/offer", { ...input, ...changes });
      expect(response.status).toBe(201);
      return response.json<{ id: string }>().id;
    },
    async act(workerId, offerId, action) {
      const token = await platform.signInWorker(workerId);
      return platform.call("POST", `/worker-app/offers/${offerId}/${action}`, { token });
    },
    complete: (offerId, workerIds) => api.post(`/offer/${offerId}/complete?api-version=1.0`, workerIds),
    async readNotificationReasons(workerId, offerId) {
      const token = await platform.signInWorker(workerId);
      const response = await platform.call("GET", "/worker-app/notifications", { token });
      const { notifications } = response.json<{ notifications: { offerId: string; reason: string }[] }>();
      const offerNotifications = notifications.filter((notification) => notification.offerId === offerId);
      return offerNotifications.map(({ reason }) => reason).toReversed();
    },
    async withPlatformStopped(read) {
      await platform.close();
      const store = await openStore({ ...database.options, onError: () => undefined });
      try {
        return await read(store);
      } finally {
        await store.close();
        platform = await open();
      }
    },
  };
  return api;
}
