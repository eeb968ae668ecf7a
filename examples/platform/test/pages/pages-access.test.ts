import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { usePlatform } from "../support/use-opened.ts";
import { listMountedRoutes, type MountedRoute, usesToken } from "./mounted-routes.ts";
import { openPageClient, type PageClient, type PageResponse, type SendOptions } from "./page-client.ts";

/** Public pages, which contain no personal data. */
const publicPaths = [
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
const sessionPaths = ["/portal/session", "/worker-app/session"];

const routes = listMountedRoutes();
const pageRoutes = routes.filter((route) => !usesToken(route) && !publicPaths.includes(route.path));
const pageRoutesWithIds = pageRoutes.filter(({ path }) => path.includes(":"));
const formRoutes = routes.filter((route) => !usesToken(route) && route.method === "POST");
const tokenRoutes = routes.filter((route) => usesToken(route) && !sessionPaths.includes(route.path));

const isInApp = (path: string): boolean => /^\/app(\/|$)/.test(path);
const signInPathFor = (path: string): string => (isInApp(path) ? "/app/sign-in" : "/sign-in");

const platform = usePlatform();
let receiver: Receiver;
/** Users who have access: Hana from Harbour Hotels, and Amal, who got its offer. */
let hana: PageClient;
let amal: PageClient;
/** Users without access: Bo from a different organisation, and Dana, who did not receive the offer. */
let bo: PageClient;
let dana: PageClient;
/** Harbour Hotels' ids, keyed by the path segment before them. */
const ids: Record<string, string> = {};

const privateText = /Harbour's alone|Amal Haddad/;

const readOffer = async () => (await platform.call("GET", `/offer/${ids.offers}`, { key: "demo-key-harbour" })).json();

async function openSignedInClient(name: string): Promise<PageClient> {
  const client = openPageClient(platform.address, name.startsWith("worker") ? "/app/sign-in" : "/sign-in");
  await client.signIn(name);
  return client;
}

beforeAll(async () => {
  const danaDetails = { name: "Dana Kim", emailAddress: "dana@example.com", ratings: [] };
  receiver = await openReceiver((request, response) => {
    const suggestion = { ...danaDetails, profileImageUrl: `${receiver.baseAddress}/dana.png` };
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
  await eventually("the delivery is listed", async () => {
    const response = await platform.call("GET", "/portal/deliveries", { token });
    ids.deliveries = response.json<{ deliveries: { id: string }[] }>().deliveries[0]?.id ?? "";
    ids.events = ids.deliveries;
    return ids.deliveries !== "";
  });
  hana = await openSignedInClient("hana@harbour-hotels.example");
  amal = await openSignedInClient("worker_amal");
  bo = await openSignedInClient("bo@bistro-group.example");
  dana = await openSignedInClient("worker_dana");
  const { text } = await hana.send("/invitations/search", { organisationIds: "org_harbour" });
  await hana.send("/api-keys", { name: "Rota system" });
  ids["api-keys"] = /\/api-keys\/(key_[^/]+)\/revoke/.exec((await hana.get("/api-keys")).text)?.[1] ?? "";
  const person = JSON.stringify({ name: danaDetails.name, emailAddress: danaDetails.emailAddress });
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

const fillIds = (path: string): string =>
  path.replaceAll(/([\w-]+)\/:\w+/g, (_, segment: string) => {
    if (!ids[segment]) throw new Error(`Set ids["${segment}"] in beforeAll.`);
    return `${segment}/${ids[segment]}`;
  });

const visit = (client: PageClient, { method, path }: MountedRoute, options: SendOptions = {}): Promise<PageResponse> =>
  method === "GET"
    ? client.get(fillIds(path), options.headers)
    : client.send(fillIds(path), { worker: "worker_amal", organisationId: "org_bistro" }, options);

/** Asserts the response to a signed-out client: a page redirects to the sign-in page, and a form has no effect. */
function expectSignedOut({ method, path }: MountedRoute, { status, location, text }: PageResponse): void {
  expect(status).toBe(method === "GET" ? 303 : 401);
  if (method === "GET") expect(location?.split("?")[0]).toBe(signInPathFor(path));
  expect(text).not.toMatch(privateText);
}

describe("signed-out people", () => {
  test.each(pageRoutes)("a signed-out person gets 401 or the sign-in page at $method $path", async (route) =>
    expectSignedOut(route, await visit(openPageClient(platform.address, signInPathFor(route.path)), route)),
  );

  test.each(["/live", "/app/live"])("a signed-out person receives no events at %s", async (path) => {
    const response = await openPageClient(platform.address).get(path, { Accept: "text/event-stream" });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      401,
      "application/problem+json; charset=utf-8",
    ]);
  });

  test.each(tokenRoutes)(
    "a client without a token gets 401 from $method $path, even with a session cookie",
    async ({ method, path }) => {
      const query = path.endsWith("/complete") ? "?api-version=1.0" : "";
      for (const headers of [{}, { Cookie: hana.cookie() }, { Cookie: amal.cookie() }]) {
        const response = await platform.call(method, fillIds(path) + query, { headers });
        expect(response.status).toBe(401);
        expect(response.text).not.toMatch(privateText);
      }
    },
  );
});

describe("sessions of the other section", () => {
  test.each(pageRoutes)(
    "a session of the portal or the app is not valid in the other section at $method $path [D-80]",
    async (route) => {
      const [client, from, to] = isInApp(route.path) ? [hana, "portal", "app"] : [amal, "app", "portal"];
      const Cookie = client.cookie().replace(`offers-${from}-`, `offers-${to}-`);
      const options = { headers: { Cookie }, formToken: await client.formToken() };
      expectSignedOut(route, await visit(openPageClient(platform.address), route, options));
    },
  );
});

describe("people of other organisations and other workers", () => {
  test.each(pageRoutesWithIds)("another organisation or another worker gets 404 at $method $path", async (route) => {
    const client = isInApp(route.path) ? dana : bo;
    const first = await visit(client, route);
    const isRedirect = route.method === "GET" && first.location !== null;
    const { status, text } = isRedirect ? await client.get(first.location ?? "") : first;
    expect(status).toBe(404);
    expect(text).not.toMatch(privateText);
  });

  test.each(
    pageRoutes.filter((route) => route.method === "GET" && !route.path.includes(":") && !/live$/.test(route.path)),
  )("another organisation or another worker does not see the offer at $path", async (route) => {
    const { status, text } = await visit(isInApp(route.path) ? dana : bo, route);
    expect([200, 303]).toContain(status);
    expect(text).not.toContain("Harbour's alone");
    // This platform's mailbox shows all emails.
    for (const [name, id] of Object.entries(ids)) if (name !== "join") expect(text).not.toContain(id);
  });
});

describe("forged forms [D-81]", () => {
  const forgeries: [string, () => Promise<SendOptions>][] = [
    ["without a token", async () => ({ formToken: "" })],
    ["with an invalid token", async () => ({ formToken: "x".repeat(32) })],
    ["with another person's token", async () => ({ formToken: await bo.formToken() })],
    ["from another origin", async () => ({ headers: { Origin: "https://evil.example" } })],
    ["from an opaque origin", async () => ({ headers: { Origin: "null" } })],
    [
      "from another origin that claims to be the same",
      async () => ({ headers: { Origin: "https://evil.example", "Sec-Fetch-Site": "same-origin" } }),
    ],
    [
      "without a referrer from another site",
      async () => ({ headers: { Origin: "null", "Sec-Fetch-Site": "cross-site" } }),
    ],
    ["from another site", async () => ({ headers: { "Sec-Fetch-Site": "cross-site" } })],
    ["from another host of the site", async () => ({ headers: { "Sec-Fetch-Site": "same-site" } })],
  ];

  test.each(formRoutes)("a forged form has no effect at $path", async (route) => {
    for (const [how, options] of forgeries) {
      const response = await visit(isInApp(route.path) ? amal : hana, route, await options());
      expect({ how, status: response.status }).toEqual({ how, status: 403 });
    }
  });

  test("a form with a token from the person's other session has no effect", async () => {
    const formToken = await (await openSignedInClient("hana@harbour-hotels.example")).formToken();
    for (const route of formRoutes.filter(({ path }) => !isInApp(path)))
      expect((await visit(hana, route, { formToken })).status).toBe(403);
  });

  test("after all forged forms, the offer and the sessions are unchanged", async () => {
    expect(await readOffer()).toMatchObject({
      widthdrawn: false,
      complete: false,
      recipients: [{ response: "applied" }],
    });
    expect((await hana.get("/offers")).status).toBe(200);
    expect((await amal.get("/app")).status).toBe(200);
  });
});

// This runs last, because it completes and withdraws the offer.
describe("owners", () => {
  test.each(pageRoutes.filter(({ path }) => !/(live|sign-out)$/.test(path)))(
    "the owner can use $method $path",
    async (route) => {
      const { status, location } = await visit(isInApp(route.path) ? amal : hana, route);
      expect([200, 303, 400, 409, 422]).toContain(status);
      expect(location ?? "").not.toContain("sign-in");
    },
  );
});

test("the access tests find the routes to test", () => {
  expect(pageRoutes.length).toBeGreaterThanOrEqual(30);
  expect(pageRoutesWithIds.length).toBeGreaterThanOrEqual(12);
  expect(formRoutes.length).toBeGreaterThanOrEqual(16);
  expect(tokenRoutes.length).toBeGreaterThanOrEqual(20);
});

test("an unsupported method on a page gets 405 with the supported methods", async () => {
  const response = await bo.send("/offers");
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});
