import express from "express";
import { expect, test, vi } from "vitest";
import { webhookListener } from "../../src/node.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse, post } from "../support/mount.ts";
import { createSignedHeaders, secret, sendRaw, serve } from "../support/serve.ts";

captureConsole();

test.each([
  [{ secret, basePath: "offers" }, "invalid_option"],
  [{ secret, basePath: null }, "invalid_option"],
  [{ secret, basepath: "/offers" }, "invalid_option"],
  [{ secret: "short" }, "short_secret"],
  [undefined, "invalid_option"],
])("webhookListener throws for the options %o", (options, code) =>
  expect(() => webhookListener(options as ReceiverOptions)).toThrow(expect.objectContaining({ code })),
);

/** Sends a request line. @returns the response status and, if the request was rejected, the code */
async function sendRequestLine(line: string, headers: Record<string, string> = {}) {
  const onRejected = vi.fn();
  const listener = webhookListener({ secret, basePath: "/offers", onWorkerAddedContact: () => undefined, onRejected });
  const { port } = await serve(listener);
  const lines = Object.entries({ Host: "a", Connection: "close", ...headers }).map((pair) => pair.join(": "));
  const response = await sendRaw(port, [line, ...lines, "", ""].join("\r\n"));
  return [Number(/^HTTP\/1\.1 (\d+) /.exec(response)?.[1]), onRejected.mock.calls[0]?.[0].code];
}

test.each([
  ["GET /offers/test", 200, undefined],
  ["GET //offers//test/", 200, undefined],
  ["GET /offers/test?x=/offers/test/auth", 200, undefined],
  ["GET http://hooks.example/offers/test", 200, undefined],
  ["GET HTTPS://hooks.example:8443/offers/test", 200, undefined],
  ["GET http://hooks.example/offers/test/auth", 200, undefined],
  ["GET http://hooks.example", 404, "unknown_path"],
  ["GET http://", 404, "unknown_path"],
  ["GET *", 404, "unknown_path"],
  ["OPTIONS *", 404, "unknown_path"],
  ["GET /", 404, "unknown_path"],
  ["GET //", 404, "unknown_path"],
  ["GET //hooks.example/offers/test", 404, "unknown_path"],
  ["GET /offers", 404, "unknown_path"],
  ["GET /offersX/test", 404, "unknown_path"],
  ["GET /offers/../offers/test", 404, "unknown_path"],
  ["GET /offers/%74est", 404, "unknown_path"],
  ["GET /%", 404, "unknown_path"],
  ["GET /offers/contact/new/%E0%A4%A", 400, "invalid_request"],
  ["GET /offers/contact/new/%00", 200, undefined],
])("%s gets %d (%s)", async (line, status, reason) =>
  expect(await sendRequestLine(`${line} HTTP/1.1`, createSignedHeaders())).toEqual([status, reason]),
);

test("a request to an unknown path is passed to next, and onRejected is not called [D-63]", async () => {
  const onRejected = vi.fn();
  const listener = webhookListener({ secret, basePath: "/offers", onRejected });
  const { url } = await serve((request, response) =>
    listener(request, response, (...args) => response.writeHead(418).end(`${args.length}`)),
  );
  for (const path of ["/", "/test", "/offers", "/offers/unknown", "/offersX/test"]) {
    const response = await fetch(url + path);
    expect([response.status, await response.text()]).toEqual([418, "0"]);
  }
  expect((await fetch(`${url}/offers/test`)).status).toBe(200);
  expect((await fetch(`${url}/offers/offer/response`, { method: "POST" })).status).toBe(404);
  expect(onRejected.mock.calls.map(([{ code }]) => code)).toEqual(["handler_not_configured"]);
});

test("when next throws, the connection is closed, and onError gets the error", async () => {
  const onError = vi.fn();
  const cause = new Error("thrown by next");
  const listener = webhookListener({ secret, onError, onRejected: () => undefined });
  const { url } = await serve((request, response) =>
    listener(request, response, () => {
      throw cause;
    }),
  );
  await expect(fetch(`${url}/unknown`)).rejects.toThrow("fetch failed");
  expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: "internal_error", cause })]]);
});

test("a listener mounted at two paths handles the same event once at each", async () => {
  const onWorkerAddedContact = vi.fn();
  const listener = webhookListener({ secret, onWorkerAddedContact });
  const { url } = await serve(express().use("/north", listener).use("/south", listener));
  const headers = createSignedHeaders();
  for (const mountPath of ["north", "south", "north"])
    expect((await fetch(`${url}/${mountPath}/contact/new/amal`, { headers })).status).toBe(200);
  expect(onWorkerAddedContact).toHaveBeenCalledTimes(2);
});

test("webhookListener uses a body that a parser has already parsed", async () => {
  const onWorkerOfferResponse = vi.fn();
  const { url } = await serve(express().use(express.json(), webhookListener({ secret, onWorkerOfferResponse })));
  expect((await fetch(`${url}/offer/response`, post(acceptedResponse))).status).toBe(200);
  expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(acceptedResponse, expect.anything());
});
