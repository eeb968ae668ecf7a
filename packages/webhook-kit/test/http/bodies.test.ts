import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { readNodeBody } from "../../src/http/body.ts";
import type { ReceiverOptions } from "../../src/options/options.ts";
import { createLengthScheme } from "../endpoints/covers-length.ts";
import { adapters } from "../support/adapters.ts";
import { acceptedResponse } from "../support/mount.ts";
import { createJsonHeaders, createSignedHeaders, secret, sendRaw, serve } from "../support/serve.ts";

describe.each(adapters)("$name", (adapter) => {
  async function mount(options: Partial<ReceiverOptions> = {}) {
    const onWorkerOfferResponse = vi.fn();
    const onRejected = vi.fn();
    const receiver = await adapter.serve({ secret, onWorkerOfferResponse, onRejected, ...options });
    const post = async (body: BodyInit, headers: Record<string, string> = {}) => {
      const init = { method: "POST", headers: createJsonHeaders(headers), body };
      const response = await fetch(`${receiver.url}/offer/response`, init);
      return { status: response.status, text: await response.text() };
    };
    return { ...receiver, post, onWorkerOfferResponse, onRejected };
  }

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    'Application/JSON;charset="UTF-8"',
    "application/vnd.offers+json",
  ])("a receiver accepts the media type %s", async (type) => {
    const { post } = await mount();
    expect((await post(JSON.stringify(acceptedResponse), { "content-type": type })).status).toBe(200);
  });

  test.each([
    "text/plain",
    "application/jsonp",
    "application/x-www-form-urlencoded",
    "application/json; charset=utf-16",
    "json",
    "",
  ])("a receiver rejects the media type %j with 415 [D-17]", async (type) => {
    const { post, onRejected } = await mount();
    expect((await post(JSON.stringify(acceptedResponse), { "content-type": type })).status).toBe(415);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "unsupported_media_type" }));
  });

  test("a receiver rejects a compressed or possibly compressed body with 415", async () => {
    const { post, port } = await mount();
    const { Timestamp, Authorization } = createSignedHeaders();
    const response = await sendRaw(
      port,
      `POST /offer/response HTTP/1.1\r\nHost: a\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n` +
        "Content-Type: application/json\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
    );
    expect(response).toMatch(/^HTTP\/1\.1 415 /);
    expect((await post("…", { "content-encoding": "gzip" })).status).toBe(415);
  });

  test.each([
    ["", "malformed_json"],
    ["{", "malformed_json"],
    ['{"offerId":NaN}', "malformed_json"],
    ["{}{}", "malformed_json"],
    ["'a'", "malformed_json"],
    [Buffer.from([0x22, 0xff, 0x22]), "invalid_encoding"],
    [Buffer.from([0x22, 0xc0, 0x80, 0x22]), "invalid_encoding"],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "invalid_encoding"],
    [Buffer.from(JSON.stringify(acceptedResponse), "utf16le"), "malformed_json"],
  ] as const)("a receiver rejects the body %j with 400", async (body, reason) => {
    const { post, onRejected } = await mount();
    expect((await post(body)).status).toBe(400);
    expect(onRejected).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: reason }));
  });

  test("a receiver accepts a body with a byte order mark", async () => {
    const { post } = await mount();
    expect((await post(`\uFEFF${JSON.stringify(acceptedResponse)}`)).status).toBe(200);
  });

  test("a field called __proto__ does not pollute Object.prototype", async () => {
    const { post, onWorkerOfferResponse } = await mount();
    await post(JSON.stringify(acceptedResponse).replace("{", '{"__proto__":{"isAdmin":true},'));
    const event = onWorkerOfferResponse.mock.calls[0]?.[0];
    expect([event.isAdmin, ({} as { isAdmin?: boolean }).isAdmin]).toEqual([undefined, undefined]);
  });

  test("a receiver accepts a body of maxBodyBytes and rejects one more byte with 413, with and without Content-Length [D-17]", async () => {
    const body = JSON.stringify({ ...acceptedResponse, padding: "é".repeat(400) });
    const bytes = Buffer.byteLength(body);
    const receiver = await mount({ maxBodyBytes: bytes });
    expect((await receiver.post(body)).status).toBe(200);
    const { post, port, onRejected } = await mount({ maxBodyBytes: bytes - 1 });
    expect((await post(body)).status).toBe(413);
    const { Timestamp, Authorization } = createSignedHeaders();
    const response = await sendRaw(
      port,
      `POST /offer/response HTTP/1.1\r\nHost: a\r\nTimestamp: ${Timestamp}\r\nAuthorization: ${Authorization}\r\n` +
        `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 413 /);
    expect(onRejected.mock.calls.map(([{ code }]) => code)).toEqual(["body_too_large", "body_too_large"]);
  });

  test("a receiver passes the bytes of the body to a scheme that covers the body", async () => {
    const { post } = await mount({ scheme: createLengthScheme(acceptedResponse) });
    expect((await post(JSON.stringify(acceptedResponse))).status).toBe(200);
    expect((await post(`${JSON.stringify(acceptedResponse)} `)).status).toBe(401);
  });
});

test("readNodeBody immediately rejects a body whose sender hung up before it was read", async () => {
  const bodyPromise = new Promise((resolve, reject) => {
    // Allows 100 bytes and 40 ms.
    serve((request) => void request.once("close", () => resolve(readNodeBody(request, 100, 40))))
      .then(({ port }) => {
        const socket = connect(port, "127.0.0.1");
        socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{", () => socket.destroy());
      })
      .catch(reject);
  });
  await expect(bodyPromise).rejects.toMatchObject({ rejection: { code: "body_incomplete" } });
});

test("readNodeBody rejects a body that takes too long to arrive [D-17]", async () => {
  const bodyPromise = new Promise((resolve, reject) => {
    // Allows 100 bytes and 40 ms.
    serve((request) => resolve(readNodeBody(request, 100, 40)))
      .then(({ port }) => connect(port, "127.0.0.1").write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"))
      .catch(reject);
  });
  await expect(bodyPromise).rejects.toMatchObject({ rejection: { code: "body_timeout" } });
});
