import { beforeAll, describe, expect, test } from "vitest";
import { listMountedRoutes, type MountedRoute, usesToken } from "../pages/mounted-routes.ts";
import { eventually } from "../support/eventually.ts";
import type { CallOptions, PlatformResponse } from "../support/platform-under-test.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform, useReceiver } from "../support/use-opened.ts";

/** The routes that use a token. pages-access.test.ts covers the pages. */
const routes = listMountedRoutes().filter(usesToken);
const routesWithIds = routes.filter(({ path }) => path.includes(":"));
const listRoutes = routes.filter(
  ({ method, path }) => method === "GET" && path.startsWith("/portal/") && !path.includes(":"),
);

/** Queries and bodies that a route validates before it looks up the id. */
const validRequests: Record<string, { query?: string; json?: unknown }> = {
  "POST /offer/:id/complete": { query: "?api-version=1.0", json: ["worker_amal"] },
};

describe.each(await anyStore())("another organisation's resources on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  const receiver = useReceiver();
  let offerId = "";
  let deliveryId = "";
  let deviceId = "";

  beforeAll(async () => {
    const hana = { token: await platform.signInPerson("hana@harbour-hotels.example") };
    const profile = { baseAddress: receiver.baseAddress, secret: "a secret of harbour's", suggestsContacts: false };
    await platform.call("PUT", "/portal/profile", { ...hana, json: profile });
    const offer = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };
    const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: offer });
    offerId = created.json<{ id: string }>().id;
    const amal = { token: await platform.signInWorker("worker_amal") };
    await platform.call("POST", `/worker-app/offers/${offerId}/apply`, amal);
    const device = await platform.call("POST", "/worker-app/devices", { ...amal, json: { platform: "ios" } });
    deviceId = device.json<{ id: string }>().id;
    await eventually("the event is delivered to harbour", async () => {
      const response = await platform.call("GET", "/portal/deliveries", hana);
      deliveryId = response.json<{ deliveries: { id: string }[] }>().deliveries[0]?.id ?? "";
      return receiver.requests.some(({ url }) => url === "/offer/response") && deliveryId !== "";
    });
  });

  /** Functions that return the id that follows a path segment. */
  const idAfter: Record<string, () => string> = {
    offer: () => offerId,
    offers: () => offerId,
    deliveries: () => deliveryId,
    events: () => deliveryId,
    devices: () => deviceId,
  };

  const callRoute = async ({ method, path }: MountedRoute, credentials: CallOptions): Promise<PlatformResponse> => {
    const { query = "", json } = validRequests[`${method} ${path}`] ?? {};
    const pathWithIds = path.replaceAll(/(\w+)\/:\w+/g, (_, segment: string) => {
      const id = idAfter[segment]?.();
      if (id === undefined) throw new Error(`add the id that follows ${segment} to idAfter`);
      return `${segment}/${id}`;
    });
    return platform.call(method, pathWithIds + query, json === undefined ? credentials : { ...credentials, json });
  };
  const getForeignCredentials = async (path: string): Promise<CallOptions[]> => {
    if (path.startsWith("/worker-app/")) return [{ token: await platform.signInWorker("worker_ben") }];
    if (path.startsWith("/portal/")) return [{ token: await platform.signInPerson("bo@bistro-group.example") }];
    return [{ key: "demo-key-bistro" }, { key: "demo-key-crew" }];
  };
  const getOwnCredentials = async (path: string): Promise<CallOptions> => {
    if (path.startsWith("/worker-app/")) return { token: await platform.signInWorker("worker_amal") };
    if (path.startsWith("/portal/")) return { token: await platform.signInPerson("hana@harbour-hotels.example") };
    return { key: "demo-key-harbour" };
  };

  test.each(routesWithIds)("another organisation's resource gets 404: $method $path", async (route) => {
    for (const credentials of await getForeignCredentials(route.path)) {
      const response = await callRoute(route, credentials);
      expect(response.status).toBe(404);
      expect(response.text).not.toMatch(/Bar on Sunday|harbour/i);
    }
  });

  test.each(listRoutes)("another organisation's resource is not listed: $method $path", async (route) => {
    for (const credentials of await getForeignCredentials(route.path)) {
      const { status, text } = await callRoute(route, credentials);
      expect(status).toBe(200);
      for (const secret of [offerId, deliveryId, receiver.baseAddress]) expect(text).not.toContain(secret);
    }
  });

  // Runs after the other tests, because it completes and withdraws offers.
  test.each(routesWithIds)("a resource is available to its owner: $method $path", async (route) => {
    const { status } = await callRoute(route, await getOwnCredentials(route.path));
    expect([200, 202, 204, 409]).toContain(status);
  });

  test("the tests of foreign resources cover routes with ids and lists", () => {
    expect(routesWithIds.length).toBeGreaterThanOrEqual(9);
    expect(listRoutes.length).toBeGreaterThanOrEqual(5);
  });
});
