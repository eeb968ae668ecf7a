import { connect } from "node:net";
import type { RequestHandler } from "express";
import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { HandlerError } from "../../src/index.ts";
import { createJsonHeaders, expressVersions, secret, serve } from "../support/serve.ts";

const event = JSON.stringify({ offerId: "o1", workerId: "amal", response: "accepted" });

describe.each(expressVersions)("Express $version", ({ express }) => {
  async function mount(...precedingMiddleware: RequestHandler[]) {
    const onWorkerOfferResponse = vi.fn();
    const onRejected = vi.fn();
    const onError = vi.fn();
    const app = express();
    for (const middleware of precedingMiddleware) app.use(middleware);
    app.use(webhookRouter({ secret, onWorkerOfferResponse, onRejected, onError }));
    const { url, port } = await serve(app);
    return { url, port, onWorkerOfferResponse, onRejected, onError };
  }

  test("a stream that was paused earlier is still read", async () => {
    const { url, onWorkerOfferResponse } = await mount((request, _, next) => {
      request.pause();
      next();
    });
    const response = await fetch(`${url}/offer/response`, {
      method: "POST",
      headers: createJsonHeaders(),
      body: event,
    });
    expect(response.status).toBe(200);
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test("a stream with an encoding results in a 500 that explains what to change, even if the body arrives in chunks", async () => {
    const { port, onError } = await mount((request, _, next) => {
      request.setEncoding("utf8");
      next();
    });
    const headers = createJsonHeaders({ "transfer-encoding": "chunked", host: "a", connection: "close" });
    const headerLines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(port, "127.0.0.1");
    const middle = Math.floor(event.length / 2);
    const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
    socket.write(`POST /offer/response HTTP/1.1\r\n${headerLines.join("")}\r\n`);
    socket.write(chunk(event.slice(0, middle)));
    // Sends the rest later, so that the body arrives in two chunks.
    setImmediate(() => socket.write(`${chunk(event.slice(middle))}0\r\n\r\n`));
    const chunks: Buffer[] = [];
    for await (const bytes of socket) chunks.push(bytes as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 500 .*body_already_consumed/s);
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "body_already_consumed" }));
  });

  test("a router on a route instead of a mount path does not match, and its rejection says what to change", async () => {
    const onRejected = vi.fn();
    const app = express();
    app.post("/hooks/offer/response", webhookRouter({ secret, onWorkerOfferResponse: () => undefined, onRejected }));
    const { url } = await serve(app);
    const response = await fetch(`${url}/hooks/offer/response`, {
      method: "POST",
      headers: createJsonHeaders(),
      body: event,
    });
    expect(response.status).toBe(404);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ code: "unknown_path", message: expect.stringContaining("app.use") }),
    );
  });

  test("a kit error that a handler throws counts as the user's own, so its message is not logged", async () => {
    const error = vi.fn();
    const logger = { info: () => undefined, warn: () => undefined, error };
    const cause = new HandlerError("invalid_handler_result", "SENTINEL@mail.example");
    const fail = () => Promise.reject(cause);
    const app = express();
    const onError = vi.fn();
    app.use(webhookRouter({ secret, onWorkerOfferResponse: fail, suggestContacts: fail, logger, onError }));
    const { url } = await serve(app);
    const post = (path: string, body: string) =>
      fetch(`${url}${path}`, { method: "POST", headers: createJsonHeaders(), body }).then(({ status }) => status);
    expect(await post("/offer/response", event)).toBe(500);
    expect(await post("/contact-suggestions", '{"userEmailAddresses":[]}')).toBe(500);
    expect(JSON.stringify(error.mock.calls)).not.toContain("SENTINEL");
    expect(onError.mock.calls.map(([{ code, cause }]) => [code, cause])).toEqual([
      ["handler_failed", cause],
      ["handler_failed", cause],
    ]);
  });
});
