import { describe, expect, test, vi } from "vitest";
import { verifyWebhook, webhookRouter } from "../../src/express.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, post } from "../support/mount.ts";
import {
  createJsonHeaders,
  createSignedHeaders,
  expressVersions,
  quietOptions,
  secret,
  serve,
} from "../support/serve.ts";

captureConsole();

/** Behaviour that is specific to Express. The other tests run on every adapter. */
describe.each(expressVersions)("Express $version", ({ express }) => {
  test("a search or a response without a handler gets a 404 problem, and an unknown one goes to the next middleware [D-46] [interface: Overview 5c, 5d]", async () => {
    const app = express().use("/hooks", webhookRouter({ ...quietOptions, secret }));
    app.use((_request, response) => void response.status(418).end("the next middleware"));
    const { url } = await serve(app);
    const request = (path: string) => fetch(`${url}/hooks${path}`, { headers: createSignedHeaders() });
    for (const path of ["/offer/response", "/contact-suggestions"]) {
      const response = await request(path);
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    }
    for (const path of ["/", "/unknown", "/contact/new", "/contact/new/a/b", "/Test"])
      expect((await request(path)).status).toBe(418);
  });

  test("a tenant in the path is available as a request parameter", async () => {
    const app = express();
    const tenants: Record<string, string> = { north: secret, south: "another-secret-of-theirs" };
    const handledTenants: unknown[] = [];
    app.use(
      "/:tenant/hooks",
      webhookRouter({
        ...quietOptions,
        secret: async (request) => tenants[String(request.params.tenant)],
        onWorkerOfferResponse: (_, { request }) => handledTenants.push(request.params.tenant),
      }),
    );
    const { url } = await serve(app);
    const postTo = async (tenant: string) =>
      (await fetch(`${url}/${tenant}/hooks/offer/response`, post(acceptedResponse))).status;
    expect([await postTo("north"), await postTo("south"), await postTo("east")]).toEqual([200, 401, 401]);
    expect(handledTenants).toEqual(["north"]);
  });

  test("verifyWebhook guards your own route and leaves its body to your parser [D-14]", async () => {
    const app = express();
    const onRejected = vi.fn();
    app.post("/own", verifyWebhook({ secret, onRejected }), express.json(), (request, response) => {
      response.json([request.webhook?.verified.variant, request.webhook?.unverifiedDeliveryId, request.body]);
    });
    const { url } = await serve(app);
    const response = await fetch(
      `${url}/own`,
      post({ any: "payload" }, createJsonHeaders({ "offers-delivery-id": "d2" })),
    );
    expect(await response.json()).toEqual(["sha256", "d2", { any: "payload" }]);
    const rejectedResponse = await fetch(
      `${url}/own`,
      post({ any: "payload" }, { "content-type": "application/json" }),
    );
    expect([rejectedResponse.status, rejectedResponse.headers.get("www-authenticate")]).toEqual([401, "hmac"]);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "missing_timestamp" }));
  });
});

test("outside Express, both middlewares throw an error that names the function to use instead", () => {
  for (const middleware of [webhookRouter({ secret }), verifyWebhook({ secret })]) {
    const listener = middleware as unknown as (request: object, response: object) => void;
    expect(() => listener({}, {})).toThrow(
      expect.objectContaining({ code: "wrong_request_type", message: expect.stringContaining("webhookListener") }),
    );
  }
});
