import { describe, expect, test } from "vitest";
import { listMountedRoutes, usesToken } from "../pages/mounted-routes.ts";
import { openPageClient } from "../pages/page-client.ts";
import { usePlatform } from "../support/use-opened.ts";

const platform = usePlatform();

const routes = listMountedRoutes();
const isApiPath = (path: string) => usesToken({ method: "", path }) || path === "/healthz" || path === "/readyz";
const apiRoutes = routes.filter(({ path }) => isApiPath(path));
const pageRoutes = routes.filter(({ method, path }) => method === "GET" && !isApiPath(path));

const getCredentials = async (path: string) => {
  if (/^\/(offer|events)/.test(path)) return { key: "demo-key-harbour" };
  if (path.startsWith("/portal")) return { token: await platform.signInPerson("hana@harbour-hotels.example") };
  return { token: await platform.signInWorker("worker_amal") };
};

describe("an unknown query parameter", () => {
  test.each(apiRoutes)(
    "an unknown query parameter is rejected and named: $method $path [D-93]",
    async ({ method, path }) => {
      const version = path.startsWith("/offer") ? "&api-version=1.0" : "";
      for (const name of ["colour", "Limit", "__proto__", "constructor", "toString", "befor[e]", "limit[]", "%C3%BC"]) {
        const calledPath = path.replace(/:\w+/, "none");
        const response = await platform.call(method, `${calledPath}?${name}=1${version}`, await getCredentials(path));
        expect([name, response.status]).toEqual([name, 400]);
        const { code, errors } = response.json<{ code: string; errors: Record<string, string[]> }>();
        expect(code).toBe("invalid_request");
        expect(Object.keys(errors)).toEqual([decodeURIComponent(name)]);
      }
    },
  );

  test("an unknown query parameter is rejected before anything takes effect [D-93]", async () => {
    const call = {
      key: "demo-key-harbour",
      json: { createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] },
    };
    expect((await platform.call("POST", "/offer?dryRun=1", call)).status).toBe(400);
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    expect((await platform.call("GET", "/portal/offers", { token })).json()).toMatchObject({ offers: [] });
    const { id } = (await platform.call("POST", "/offer?api-version=1.0", call)).json<{ id: string }>();
    const key = { key: "demo-key-harbour" };
    expect((await platform.call("GET", `/offer/${id}/withdraw?dryRun=1`, key)).status).toBe(400);
    expect((await platform.call("GET", `/offer/${id}?api-version=1.0`, key)).json()).toMatchObject({
      widthdrawn: false,
    });
  });

  test("an unknown query parameter is rejected only after authentication", async () => {
    expect((await platform.call("GET", "/offer/none?colour=red")).status).toBe(401);
    expect((await platform.call("GET", "/portal/offers?colour=red")).status).toBe(401);
    expect((await platform.call("GET", "/worker-app/devices?colour=red")).status).toBe(401);
  });

  test.each(pageRoutes)("an unknown query parameter is ignored on a page: $path [D-93]", async ({ path }) => {
    const client = openPageClient(platform.address, path.startsWith("/app") ? "/app/sign-in" : "/sign-in");
    await client.signIn(path.startsWith("/app") ? "worker_amal" : "hana@harbour-hotels.example");
    // Compare only the status, because a stream's body does not end.
    const fetchStatus = async (query: string) => {
      const pathAndQuery = path.replace(/:\w+/, "none") + query;
      const response = await fetch(platform.address + pathAndQuery, {
        headers: { Accept: "text/html", Cookie: client.cookie() },
        redirect: "manual",
      });
      await response.body?.cancel();
      return response.status;
    };
    expect(await fetchStatus("?utm_source=mail&colour=red")).toBe(await fetchStatus(""));
  });
});
