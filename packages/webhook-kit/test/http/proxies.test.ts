import { request as httpRequest } from "node:http";
import { describe, expect, test, vi } from "vitest";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { type Adapter, adapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createSignedHeaders, secret, sendRaw, serve } from "../support/serve.ts";

captureConsole();

/** Serves a receiver behind a proxy that changes the headers of every request. */
async function serveBehindProxy(
  adapter: Adapter,
  options: Partial<ReceiverOptions>,
  changeHeaders: (headers: Record<string, string | string[] | undefined>) => void,
) {
  const receiver = await adapter.serve({ secret, ...options }, "/offers");
  return serve((incoming, outgoing) => {
    const headers = { ...incoming.headers };
    changeHeaders(headers);
    const { method = "GET", url = "/" } = incoming;
    const forwardedRequest = httpRequest(
      { host: "127.0.0.1", port: receiver.port, method, path: url, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(forwardedRequest);
  });
}

describe.each(adapters)("$name", (adapter) => {
  test.each(["internal:8080", "xn--bro-hoa.example", "[::1]:3000", "10.0.0.7"])(
    "a signed request is accepted when a proxy has rewritten Host to %s",
    async (host) => {
      const { url } = await serveBehindProxy(adapter, {}, (headers) => {
        headers.host = host;
        headers["x-forwarded-host"] = "hooks.example";
      });
      expect((await fetch(`${url}/offers/test/auth`, { headers: createSignedHeaders() })).status).toBe(200);
    },
  );

  test("onRejected reports that a proxy may have stripped Authorization, but the response does not", async () => {
    const onRejected = vi.fn();
    const { url } = await serveBehindProxy(adapter, { onRejected }, (headers) => {
      delete headers.authorization;
    });
    const response = await fetch(`${url}/offers/test/auth`, { headers: createSignedHeaders() });
    expect([response.status, await response.text()]).toEqual([401, expect.not.stringMatching(/proxy|Authorization/i)]);
    expect(onRejected.mock.calls).toEqual([
      [
        expect.objectContaining({
          code: "missing_authorization",
          message: expect.stringContaining("does a proxy in front of this server strip it?"),
        }),
      ],
    ]);
  });

  test.each<[string, string, number, string | undefined]>([
    ["HEAD", "/offers/test", 200, undefined],
    ["HEAD", "/offers//test/", 200, undefined],
    ["OPTIONS", "/offers/test", 405, "GET, HEAD"],
    ["HEAD", "/offers/test/auth", 405, "GET"],
    ["OPTIONS", "/offers/test/auth/", 405, "GET"],
    ["HEAD", "/offers/offer/response", 405, "POST"],
    ["OPTIONS", "/offers/offer/response", 405, "POST"],
    ["HEAD", "/offers/nothing", 404, undefined],
  ])(
    "a monitor that sends %s %s gets %d, and the response to HEAD has no body",
    async (method, path, status, allow) => {
      const handler = vi.fn();
      const { port } = await adapter.serve({ secret, onWorkerOfferResponse: handler }, "/offers");
      const { Timestamp, Authorization } = createSignedHeaders();
      const response = await sendRaw(
        port,
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n\r\n`,
      );
      const [head = "", body] = response.split("\r\n\r\n");
      expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(/^allow: (.*)$/im.exec(head)?.[1]).toBe(allow);
      if (method === "HEAD") expect(body).toBe("");
      expect(handler).not.toHaveBeenCalled();
    },
  );

  test("a connection stays open for the next request after a request is rejected", async () => {
    const { port } = await adapter.serve({ secret, onWorkerOfferResponse: () => undefined });
    const { Timestamp, Authorization } = createSignedHeaders();
    const signature = `Timestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n`;
    const unsigned = "POST /offer/response HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}";
    const responses = await sendRaw(
      port,
      `${unsigned}HEAD /test/auth HTTP/1.1\r\nHost: a\r\n\r\nGET /test/auth HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${signature}\r\n`,
    );
    expect([...responses.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(["401", "405", "200"]);
  });
});
