import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { usePlatform } from "../support/use-opened.ts";
import { type MountedRoute, mountedRoutes, takesToken } from "./mounted-routes.ts";
import { openPageClient, type PageClient, type PageResponse, type SendOptions } from "./page-client.ts";

/** Public pages, which contain nobody's data. */
const open = [
  "/assets/:file",
  "/docs",
  "/docs/:file",
  "/healthz",
  "/readyz",
  "/sign-in",
  "/sign-out",
  "/app/sign-in",
  "/app/sign-out",
  "/app/join/:token",
];
/** Routes that do not require a token. */
const forAll = ["/portal/session", "/worker-app/session"];

const routes = mountedRoutes();
const pages = routes.filter((route) => !takesToken(route) && !open.includes(route.path));
const withIds = pages.filter(({ path }) => path.includes(":"));
const forms = routes.filter((route) => !takesToken(route) && route.method === "POST");
const withToken = routes.filter((route) => takesToken(route) && !forAll.includes(route.path));

const isOfApp = (path: string): boolean => /^\/app(\/|$)/.test(path);
const signInOf = (path: string): string => (isOfApp(path) ? "/app/sign-in" : "/sign-in");

const platform = usePlatform();
let receiver: Receiver;
/** Users who have access: Hana from Harbour Hotels, and Amal, who got its offer. */
let hana: PageClient;
let amal: PageClient;
/** Users without access: Bo from another organisation, and a worker the offer was not sent to. */
let bo: PageClient;
let dana: PageClient;
/** Harbour Hotels' ids, keyed by the path segment before them. */
const ids: Record<string, string> = {};

const secrets = /Harbour's alone|Amal Haddad/;

const readOffer = async () => (await platform.call("GET", `/offer/${ids.offers}`, { key: "demo-key-harbour" })).json();

async function signedIn(name: string): Promise<PageClient> {
  const client = openPageClient(platform.address, name.startsWith("worker") ? "/app/sign-in" : "/sign-in");
  await client.signIn(name);
  return client;
}

beforeAll(async () => {
  const dana1 = { name: "Dana Kim", emailAddress: "dana@example.com", ratings: [] };
  receiver = await openReceiver((request, response) => {
    const suggestion = { ...dana1, profileImageUrl: `${receiver.baseAddress}/dana.png` };
    const body = request.url === "/contact-suggestions" ? JSON.stringify([suggestion]) : "";
    respondWith(200, { "content-type": "application/json" }, body)(request, response);
  });
  const token = await platform.signInPerson("hana@harbour-hotels.example");
  const profile = { baseAddress: receiver.baseAddress, secret: "x".repeat(20), suggestsContacts: true };
  await platform.call("PUT", "/portal/profile", { token, json: profile });
  const creation = { createdByUserId: "user_hana", title: "Harbour's alone", workerIds: ["worker_amal"] };
  const created = await platform.call("POST", "/offer", { key: "demo-key-harbour", json: creation });
  ids.offers = ids.offer = created.json<{ id: string }>().id;
  const worker = await platform.signInWorker("worker_amal");
  await platform.call("POST", `/worker-app/offers/${ids.offers}/apply`, { token: worker });
  const device = await platform.call("POST", "/worker-app/devices", { token: worker, json: { platform: "ios" } });
  ids.devices = device.json<{ id: string }>().id;
  await eventually("the delivery is there", async () => {
    const response = await platform.call("GET", "/portal/deliveries", { token });
    ids.deliveries = response.json<{ deliveries: { id: string }[] }>().deliveries[0]?.id ?? "";
    ids.events = ids.deliveries;
    return ids.deliveries !== "";
  });
  hana = await signedIn("hana@harbour-hotels.example");
  amal = await signedIn("worker_amal");
  bo = await signedIn("bo@bistro-group.example");
  dana = await signedIn("worker_dana");
  const { text } = await hana.send("/invitations/search", { organisationIds: "org_harbour" });
  await hana.send("/api-keys", { name: "Rota system" });
  ids["api-keys"] = /\/api-keys\/(key_[^/]+)\/revoke/.exec((await hana.get("/api-keys")).text)?.[1] ?? "";
  const person = JSON.stringify({ name: dana1.name, emailAddress: dana1.emailAddress });
  await hana.send("/invitations", { organisationId: "org_harbour", person });
  await eventually("the invitation is mailed", async () => {
    ids.join = /\/app\/join\/([\w-]+)/.exec((await hana.get("/mailbox")).text)?.[1] ?? "";
    return ids.join !== "";
  });
  ids.images = /src="\/invitations\/images\/([^"]+)"/.exec(text)?.[1] ?? "";
});
afterAll(async () => {
  await receiver.close();
});

const filled = (path: string): string =>
  path.replaceAll(/([\w-]+)\/:\w+/g, (_, before: string) => {
    if (!ids[before]) throw new Error(`say above whose id comes after ${before}`);
    return `${before}/${ids[before]}`;
  });

const visit = (client: PageClient, { method, path }: MountedRoute, options: SendOptions = {}): Promise<PageResponse> =>
  method === "GET"
    ? client.get(filled(path), options.headers)
    : client.send(filled(path), { worker: "worker_amal", organisationId: "org_bistro" }, options);

/** Asserts the response to a signed-out client: a page redirects to the sign-in page, and a form has no effect. */
function expectSignedOut({ method, path }: MountedRoute, { status, location, text }: PageResponse): void {
  expect(status).toBe(method === "GET" ? 303 : 401);
  if (method === "GET") expect(location?.split("?")[0]).toBe(signInOf(path));
  expect(text).not.toMatch(secrets);
}

describe("a signed-out person", () => {
  test.each(pages)("gets 401 or the sign-in at $method $path", async (route) =>
    expectSignedOut(route, await visit(openPageClient(platform.address, signInOf(route.path)), route)),
  );

  test.each(["/live", "/app/live"])("receives no events at %s", async (path) => {
    const response = await openPageClient(platform.address).get(path, { Accept: "text/event-stream" });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json; charset=utf-8",
    ]);
  });

  test.each(withToken)("gets nothing from $method $path, even with the cookie of a page", async ({ method, path }) => {
    const query = path.endsWith("/complete") ? "?api-version=1.0" : "";
    for (const headers of [{}, { Cookie: hana.cookie() }, { Cookie: amal.cookie() }]) {
      const response = await platform.call(method, filled(path) + query, { headers });
      expect(response.status).toBe(401);
      expect(response.text).not.toMatch(secrets);
    }
  });
});

describe("a session of the other section", () => {
  test.each(pages)("is not valid at $method $path [D-80]", async (route) => {
    const [other, name] = isOfApp(route.path) ? [hana, "offers-app"] : [amal, "offers-portal"];
    const [, value = ""] = other.cookie().split("=");
    const options = { headers: { Cookie: `${name}=${value}` }, formToken: await other.formToken() };
    expectSignedOut(route, await visit(openPageClient(platform.address), route, options));
  });
});

describe("a person of another organisation or another worker", () => {
  test.each(withIds)("finds nothing at $method $path", async (route) => {
    const client = isOfApp(route.path) ? dana : bo;
    const first = await visit(client, route);
    const leadsOn = route.method === "GET" && first.location !== null;
    const { status, text } = leadsOn ? await client.get(first.location ?? "") : first;
    expect(status).toBe(404);
    expect(text).not.toMatch(secrets);
  });

  test.each(pages.filter((route) => route.method === "GET" && !route.path.includes(":") && !/live$/.test(route.path)))(
    "sees nothing of it at $path",
    async (route) => {
      const { status, text } = await visit(isOfApp(route.path) ? dana : bo, route);
      expect([200, 303]).toContain(status);
      expect(text).not.toContain("Harbour's alone");
      // This platform's mailbox shows all emails.
      for (const [name, id] of Object.entries(ids)) if (name !== "join") expect(text).not.toContain(id);
    },
  );
});

describe("a forged form [D-81]", () => {
  const forgeries: [string, () => Promise<SendOptions>][] = [
    ["without a token", async () => ({ formToken: "" })],
    ["with a wrong token", async () => ({ formToken: "x".repeat(32) })],
    ["with the token of another person", async () => ({ formToken: await bo.formToken() })],
    ["from another origin", async () => ({ headers: { Origin: "https://evil.example" } })],
    ["from no origin", async () => ({ headers: { Origin: "null" } })],
    ["from another site", async () => ({ headers: { "Sec-Fetch-Site": "cross-site" } })],
    ["from a neighbour", async () => ({ headers: { "Sec-Fetch-Site": "same-site" } })],
  ];

  test.each(forms)("has no effect at $path", async (route) => {
    for (const [how, options] of forgeries) {
      const response = await visit(isOfApp(route.path) ? amal : hana, route, await options());
      expect({ how, status: response.status }).toEqual({ how, status: 403 });
    }
  });

  test("has no effect with the token of another session of the same person", async () => {
    const formToken = await (await signedIn("hana@harbour-hotels.example")).formToken();
    for (const route of forms.filter(({ path }) => !isOfApp(path)))
      expect((await visit(hana, route, { formToken })).status).toBe(403);
  });

  test("leaves everything unchanged", async () => {
    expect(await readOffer()).toMatchObject({
      widthdrawn: false,
      complete: false,
      recipients: [{ response: "applied" }],
    });
    expect((await hana.get("/offers")).status).toBe(200);
    expect((await amal.get("/app")).status).toBe(200);
  });
});

// Runs after the others, because it completes and withdraws offers.
describe("the owner", () => {
  test.each(pages.filter(({ path }) => !/live$/.test(path)))("can use $method $path", async (route) => {
    const { status, location } = await visit(isOfApp(route.path) ? amal : hana, route);
    expect([200, 303, 400, 409, 422]).toContain(status);
    expect(location ?? "").not.toContain("sign-in");
  });
});

test("the routes to test are found", () => {
  expect(pages.length).toBeGreaterThanOrEqual(30);
  expect(withIds.length).toBeGreaterThanOrEqual(12);
  expect(forms.length).toBeGreaterThanOrEqual(16);
  expect(withToken.length).toBeGreaterThanOrEqual(20);
});

test("an unsupported method on a page gets 405 with the supported ones", async () => {
  const response = await bo.send("/offers");
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
