import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { adapters, standaloneAdapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, getRequestTarget, mount, post } from "../support/mount.ts";
import { createSignedHeaders, expressVersions, secret, serve } from "../support/serve.ts";

captureConsole();

describe.each(adapters)("$name", (adapter) => {
  test("a receiver works at the root and under a prefix of several segments, with or without a trailing slash", async () => {
    const onWorkerOfferResponse = vi.fn();
    for (const prefix of ["/", "/some/prefix", "/some/prefix/"]) {
      const { url } = await adapter.serve({ secret, onWorkerOfferResponse }, prefix);
      for (const path of ["/offer/response", "/offer/response/", "//offer/response"]) {
        const { status } = await fetch(url + prefix.replace(/\/$/, "") + path, post(acceptedResponse));
        expect([prefix, path, status]).toEqual([prefix, path, 200]);
      }
    }
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(9);
  });

  test("a receiver does not handle a path that merely starts with the same characters as its prefix", async () => {
    const { url } = await adapter.serve({ secret }, "/offers");
    for (const path of ["/offersX/test", "/offer/test", "/test", "/x/offers/test"])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 404]);
  });

  test("a receiver ignores the query", async () => {
    const request = await mount(adapter);
    expect((await request("/test/auth?code=1&x=/y", { headers: createSignedHeaders() })).status).toBe(200);
    expect((await request("/test?", { headers: createSignedHeaders() })).status).toBe(200);
  });

  test("a receiver distinguishes tenants, each with its own secret, by a path segment", async () => {
    const secrets: Record<string, string> = { north: secret, south: "another-secret-of-theirs" };
    const findTenant = (request: unknown) => /\/(\w+)\/hooks\//.exec(getRequestTarget(request))?.[1] ?? "";
    const handledTenants: string[] = [];
    const { url } = await adapter.serve(
      {
        secret: async (request) => secrets[findTenant(request)],
        onWorkerOfferResponse: (_, { request }) => handledTenants.push(findTenant(request)),
      },
      "/:tenant/hooks",
    );
    const postTo = async (tenant: string) =>
      (await fetch(`${url}/${tenant}/hooks/offer/response`, post(acceptedResponse))).status;
    expect([await postTo("north"), await postTo("south"), await postTo("east")]).toEqual([200, 401, 401]);
    expect(handledTenants).toEqual(["north"]);
  });
});

describe.each(standaloneAdapters)("$name", (adapter) => {
  test("an unknown path gets a 404 problem, and onRejected reports what to check [D-63]", async () => {
    const onRejected = vi.fn();
    const warn = vi.fn();
    const logger = { info: () => undefined, warn, error: () => undefined };
    const request = await mount(adapter, { onRejected, logger, onEvent: () => undefined });
    const paths = ["/", "/SENTINEL?SENTINEL=1", "/contact/new", "/contact/new/SENTINEL/b", "/Test"];
    for (const path of paths) {
      const response = await request(path, { headers: createSignedHeaders() });
      expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ status: 404, code: "unknown_path" });
      expect(text).not.toContain("SENTINEL");
    }
    const docsUrl = "https://github.com/offers/offers/blob/main/docs/errors.md#unknown_path";
    const message = expect.stringContaining("basePath");
    const rejection = { code: "unknown_path", status: 404, message, docsUrl };
    expect(onRejected.mock.calls).toEqual(paths.map(() => [rejection]));
    expect(warn.mock.calls).toEqual(paths.map(() => [rejection, "webhook rejected"]));
    expect(JSON.stringify([onRejected.mock.calls, warn.mock.calls])).not.toContain("SENTINEL");
  });
});

describe.each(expressVersions)("Express $version", ({ express }) => {
  const onRejected = vi.fn();
  const mountAt = async (path: string, options: object = {}) => {
    onRejected.mockClear();
    const app = express().use(path, webhookRouter({ secret, onRejected, onEvent: () => undefined, ...options }));
    app.get("/own/test", (_request, response) => void response.send("own"));
    return (await serve(app)).url;
  };

  test("a webhook below another path than the router's is reported, without its path", async () => {
    const url = await mountAt("/");
    expect((await fetch(`${url}/SENTINEL/v2/offer/response`, post(acceptedResponse))).status).toBe(404);
    await vi.waitFor(() =>
      expect(onRejected).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({
          code: "unknown_path",
          message: expect.stringMatching(/has 2 segments before .* in Express in the mount path/),
        }),
      ),
    );
    expect(JSON.stringify(onRejected.mock.calls)).not.toContain("SENTINEL");
  });

  test("other paths are not reported", async () => {
    const url = await mountAt("/");
    for (const path of ["/own/test", "/", "/favicon.ico"]) await fetch(url + path);
    expect((await fetch(`${url}/test`)).status).toBe(200);
    expect(onRejected).not.toHaveBeenCalled();
  });
});
