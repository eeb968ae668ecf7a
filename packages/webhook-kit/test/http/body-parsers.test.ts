import { runInNewContext } from "node:vm";
import type { RequestHandler } from "express";
import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { createLengthScheme } from "../endpoints/covers-length.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse } from "../support/mount.ts";
import { createJsonHeaders, expressVersions, quietOptions, secret, serve } from "../support/serve.ts";

captureConsole();

describe.each(expressVersions)("Express $version", ({ express }) => {
  async function mount(options: Partial<ReceiverOptions> = {}, ...precedingMiddleware: RequestHandler[]) {
    const onWorkerOfferResponse = vi.fn();
    const onError = vi.fn();
    const app = express();
    for (const middleware of precedingMiddleware) app.use(middleware);
    app.use(webhookRouter({ ...quietOptions, secret, onWorkerOfferResponse, onError, ...options }));
    const { url } = await serve(app);
    const post = async (body: BodyInit, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/offer/response`, {
        method: "POST",
        headers: createJsonHeaders(headers),
        body,
      });
      return { status: response.status, text: await response.text() };
    };
    return { post, onWorkerOfferResponse, onError };
  }

  test("after express.json(), the router uses the parsed body", async () => {
    const { post, onWorkerOfferResponse } = await mount({}, express.json());
    expect((await post(JSON.stringify(acceptedResponse))).status).toBe(200);
    expect((await post('{"offerId":""}')).status).toBe(400);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(acceptedResponse, expect.anything());
  });

  test.each<[string, RequestHandler]>([
    ["express.raw()", express.raw({ type: "*/*" })],
    ["express.text()", express.text({ type: "*/*" })],
    ["express.urlencoded()", express.urlencoded({ extended: false })],
    [
      "a parser that sets rawBody",
      express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ],
  ])("after %s, the router uses the bytes of the body", async (_, parser) => {
    const { post, onWorkerOfferResponse } = await mount({}, parser);
    expect((await post(JSON.stringify(acceptedResponse))).status).toBe(200);
    expect((await post("{")).status).toBe(400);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(acceptedResponse, expect.anything());
  });

  const consumeBody: RequestHandler = (request, _response, next) => void request.on("end", next).resume();

  test("a consumed body results in a 500 whose problem explains what to change", async () => {
    const { post, onError } = await mount({}, consumeBody);
    const { status, text } = await post(JSON.stringify(acceptedResponse));
    expect([status, JSON.parse(text).code]).toEqual([500, "body_already_consumed"]);
    expect(text).toContain("before the parser");
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "body_already_consumed" }));
  });

  test.each([
    ["bytes", (bytes: Buffer): unknown => bytes],
    ["bytes of another realm", (bytes: Buffer) => runInNewContext("new Uint8Array(list)", { list: [...bytes] })],
  ])("a scheme that covers the body gets the %s that a parser stored as rawBody", async (_, store) => {
    const rawBodyParser = express.json({
      verify: (request, _response, bytes) => Object.assign(request, { rawBody: store(bytes) }),
    });
    const { post } = await mount({ scheme: createLengthScheme(acceptedResponse) }, rawBodyParser);
    expect((await post(JSON.stringify(acceptedResponse))).status).toBe(200);
    expect((await post(`${JSON.stringify(acceptedResponse)} `)).status).toBe(401);
  });

  test("a scheme that covers the body never gets a parsed body", async () => {
    const { post, onWorkerOfferResponse } = await mount(
      { scheme: createLengthScheme(acceptedResponse) },
      express.json(),
    );
    expect(JSON.parse((await post(JSON.stringify(acceptedResponse))).text).code).toBe("body_already_consumed");
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });
});
