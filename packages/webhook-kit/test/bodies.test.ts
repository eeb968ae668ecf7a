import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { RequestHandler } from "express";
import { describe, expect, test, vi } from "vitest";
import { webhookRouter } from "../src/express.ts";
import type { SignatureScheme } from "../src/index.ts";
import { readNodeBody } from "../src/node-body.ts";
import type { ReceiverOptions } from "../src/options.ts";
import { timestampDigest } from "../src/timestamp-digest.ts";
import { expresses, secret, sendRaw, serve, signed, signedJson } from "./serve.ts";

const accepted = { offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" };

describe.each(expresses)("Express $version", ({ express }) => {
  async function mount(options: Partial<ReceiverOptions> = {}, ...before: RequestHandler[]) {
    const onWorkerOfferResponse = vi.fn();
    const onRejected = vi.fn();
    const onError = vi.fn();
    const app = express();
    for (const middleware of before) app.use(middleware);
    app.use(webhookRouter({ secret, onWorkerOfferResponse, onRejected, onError, ...options }));
    const { url, port } = await serve(app);
    const post = async (body: BodyInit, headers: Record<string, string> = {}) => {
      const answer = await fetch(`${url}/offer/response`, { method: "POST", headers: signedJson(headers), body });
      return { status: answer.status, text: await answer.text() };
    };
    return { post, port, onWorkerOfferResponse, onRejected, onError };
  }

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/vnd.offers+json",
  ])("takes %s", async (type) => {
    const { post } = await mount();
    expect((await post(JSON.stringify(accepted), { "content-type": type })).status).toBe(200);
  });

  test.each([
    "text/plain",
    "application/jsonp",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-16",
    "json",
    "",
  ])("refuses the media type %j with 415", async (type) => {
    const { post, onRejected } = await mount();
    expect((await post(JSON.stringify(accepted), { "content-type": type })).status).toBe(415);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason: "unsupported_media_type" }));
  });

  test("refuses a body with 415 that is compressed, or may be", async () => {
    const { post, port } = await mount();
    const { Timestamp, Authorization } = signed();
    const answer = await sendRaw(
      port,
      `POST /offer/response HTTP/1.1\r\nHost: a\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n` +
        "Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
    expect((await post("…", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test.each([
    ["", "body_not_json"],
    ["{", "body_not_json"],
    ['{"offerId":NaN}', "body_not_json"],
    ["{}{}", "body_not_json"],
    ["'a'", "body_not_json"],
    [Buffer.from([0x22, 0xff, 0x22]), "body_not_utf8"],
    [Buffer.from([0x22, 0xc0, 0x80, 0x22]), "body_not_utf8"],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "body_not_utf8"],
    [Buffer.from(JSON.stringify(accepted), "utf16le"), "body_not_json"],
  ] as const)("refuses the body %j with 400", async (body, reason) => {
    const { post, onRejected } = await mount();
    expect((await post(body)).status).toBe(400);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ reason }));
  });

  test("takes a byte order mark, which some platforms write", async () => {
    const { post } = await mount();
    expect((await post(`\uFEFF${JSON.stringify(accepted)}`)).status).toBe(200);
  });

  test("a field called __proto__ pollutes nothing", async () => {
    const { post, onWorkerOfferResponse } = await mount();
    await post(JSON.stringify(accepted).replace("{", '{"__proto__":{"isAdmin":true},'));
    const event = onWorkerOfferResponse.mock.calls[0]?.[0];
    expect([event.isAdmin, ({} as { isAdmin?: boolean }).isAdmin]).toEqual([undefined, undefined]);
  });

  test("takes a body of exactly maxBodyBytes and refuses one more byte with 413, declared or not", async () => {
    const body = JSON.stringify({ ...accepted, padding: "é".repeat(400) });
    const bytes = Buffer.byteLength(body);
    const exact = await mount({ maxBodyBytes: bytes });
    expect((await exact.post(body)).status).toBe(200);
    const { post, port, onRejected } = await mount({ maxBodyBytes: bytes - 1 });
    expect((await post(body)).status).toBe(413);
    const { Timestamp, Authorization } = signed();
    const answer = await sendRaw(
      port,
      `POST /offer/response HTTP/1.1\r\nHost: a\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${Buffer.from(body).toString("latin1")}\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(onRejected.mock.calls.map(([{ reason }]) => reason)).toEqual(["body_too_large", "body_too_large"]);
  });

  test("answers 30 MB that nobody signed after less than 64 kB of them", async () => {
    let readWhenAnswered = Number.NaN;
    let serverSide: Socket | undefined;
    const watch: RequestHandler = (request, response, next) => {
      serverSide = request.socket;
      const { flushHeaders } = response;
      response.flushHeaders = () => {
        readWhenAnswered = request.socket.bytesRead;
        flushHeaders.call(response);
      };
      next();
    };
    const { port } = await mount({}, watch);
    const socket = connect(port, "127.0.0.1").setEncoding("latin1");
    const head =
      "POST /offer/response HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n";
    socket.write(head + " ".repeat(30_000_000), "latin1");
    let answer = "";
    socket.on("data", (text) => {
      answer += text;
    });
    // Cut off in the end, by a reset if need be.
    socket.on("error", () => undefined);
    await new Promise((resolve) => socket.on("close", resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 401 .*connection: close/is);
    expect(readWhenAnswered - head.length).toBeLessThan(64 * 1024);
    expect(serverSide?.bytesRead).toBeLessThan(256 * 1024);
  });

  test("after express.json() the parsed body is used", async () => {
    const { post, onWorkerOfferResponse } = await mount({}, express.json());
    expect((await post(JSON.stringify(accepted))).status).toBe(200);
    expect((await post('{"offerId":""}')).status).toBe(400);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(accepted, expect.anything());
  });

  test.each<[string, RequestHandler]>([
    ["express.raw()", express.raw({ type: "*/*" })],
    ["express.text()", express.text({ type: "*/*" })],
    ["express.urlencoded()", express.urlencoded({ extended: false })],
    [
      "a parser that keeps rawBody",
      express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) }),
    ],
  ])("after %s the bytes are used", async (_, parser) => {
    const { post, onWorkerOfferResponse } = await mount({}, parser);
    expect((await post(JSON.stringify(accepted))).status).toBe(200);
    expect((await post("{")).status).toBe(400);
    expect(onWorkerOfferResponse).toHaveBeenCalledExactlyOnceWith(accepted, expect.anything());
  });

  const drain: RequestHandler = (request, _response, next) => void request.on("end", next).resume();

  test("a body that is gone is a 500 that says what to change", async () => {
    const { post, onError } = await mount({}, drain);
    const { status, text } = await post(JSON.stringify(accepted));
    expect([status, JSON.parse(text).code]).toEqual([500, "body_already_consumed"]);
    expect(text).toContain("before the parser");
    expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "body_already_consumed" }));
  });

  /** A scheme of a user's own that covers the body, with its length as the poorest of signatures. */
  const covering: SignatureScheme = {
    ...timestampDigest(),
    name: "covering",
    challenge: "covering",
    coversBody: true,
    verify: (claim, secrets, body) =>
      body && body.length === Buffer.byteLength(JSON.stringify(accepted))
        ? timestampDigest().verify(claim, secrets, body)
        : undefined,
  };

  test("a scheme that covers the body is given its bytes, from the stream or rawBody", async () => {
    for (const before of [
      [],
      [express.json({ verify: (request, _, bytes) => Object.assign(request, { rawBody: bytes }) })],
    ]) {
      const { post } = await mount({ scheme: covering }, ...before);
      expect((await post(JSON.stringify(accepted))).status).toBe(200);
      expect((await post(`${JSON.stringify(accepted)} `)).status).toBe(401);
    }
  });

  test("a scheme that covers the body never takes a parsed one for it", async () => {
    const { post, onWorkerOfferResponse } = await mount({ scheme: covering }, express.json());
    expect(JSON.parse((await post(JSON.stringify(accepted))).text).code).toBe("body_already_consumed");
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });

  test("a sender that hangs up half way is refused and told to nobody but the hook", async () => {
    const { port, onRejected, onWorkerOfferResponse } = await mount();
    const { Timestamp, Authorization } = signed();
    const socket = connect(port, "127.0.0.1");
    socket.write(
      `POST /offer/response HTTP/1.1\r\nHost: a\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    );
    await sleep(50);
    socket.destroy();
    await vi.waitFor(() =>
      expect(onRejected).toHaveBeenCalledWith(expect.objectContaining({ reason: "body_incomplete" })),
    );
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });
});

test("a body whose sender hung up before anybody read it is told at once", async () => {
  const received = new Promise((resolve, reject) => {
    serve((request) => void request.once("close", () => resolve(readNodeBody(request, 100, 40))))
      .then(({ port }) => {
        const socket = connect(port, "127.0.0.1");
        socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", () => socket.destroy());
      })
      .catch(reject);
  });
  expect(await received).toEqual({ kind: "refused", reason: "body_incomplete" });
});

test("a body that takes too long to arrive is given up", async () => {
  const received = new Promise((resolve, reject) => {
    serve((request) => resolve(readNodeBody(request, 100, 40)))
      .then(({ port }) => connect(port, "127.0.0.1").write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"))
      .catch(reject);
  });
  expect(await received).toEqual({ kind: "refused", reason: "body_too_slow" });
});
