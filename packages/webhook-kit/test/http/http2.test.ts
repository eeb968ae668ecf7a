import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import * as http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fastify from "fastify";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { readNodeBody } from "../../src/http/body.ts";
import { writeNodeResponse } from "../../src/http/node-response.ts";
import type { Rejected } from "../../src/http/rejected.ts";
import { acknowledged } from "../../src/http/response.ts";
import { webhookListener } from "../../src/node.ts";
import { captureConsole } from "../support/capture-console.ts";
import { acceptedResponse } from "../support/mount.ts";
import { createJsonHeaders, secret } from "../support/serve.ts";

captureConsole();

type Listener = ReturnType<typeof webhookListener>;

// Node warns about headers that HTTP/2 forbids, so no test may cause a warning.
const onWarning = vi.fn();
process.on("warning", onWarning);
afterEach(() => expect(onWarning).not.toHaveBeenCalled());
afterAll(() => void process.off("warning", onWarning));

/** Waits until a server listens, opens a session, and closes both after the test. */
async function connectTo(server: http2.Http2Server | http2.Http2SecureServer, ca?: string) {
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const session = http2.connect(`http${ca ? "s" : ""}://127.0.0.1:${port}`, ca ? { ca } : {});
  onTestFinished(async () => {
    session.destroy();
    server.close();
    await once(server, "close");
  });
  return session;
}

/** Creates a self-signed certificate for 127.0.0.1 and its private key. */
function createCertificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "offers-http2-"));
  try {
    const keyOptions = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const outputOptions = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "1", "-subj", "/CN=test"];
    execFileSync("openssl", [...keyOptions, ...outputOptions, "-addext", "subjectAltName=IP:127.0.0.1"], {
      cwd: folder,
      stdio: "pipe",
    });
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    return { cert: read("cert.pem"), key: read("key.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const servers: [name: string, connect: (listener: Listener) => Promise<http2.ClientHttp2Session>][] = [
  ["http2.createServer", (listener) => connectTo(http2.createServer(listener).listen(0, "127.0.0.1"))],
  [
    "http2.createSecureServer",
    (listener) => {
      const certificate = createCertificate();
      const server = http2.createSecureServer({ ...certificate, allowHTTP1: true }, listener);
      return connectTo(server.listen(0, "127.0.0.1"), certificate.cert);
    },
  ],
  [
    "Fastify",
    async (listener) => {
      const app = fastify({ http2: true });
      app.removeAllContentTypeParsers();
      app.addContentTypeParser("*", (_request, _body, done) => done(null));
      app.all("/*", (request, reply) => {
        reply.hijack();
        listener(request.raw, reply.raw);
      });
      await app.ready();
      return connectTo(app.server.listen(0, "127.0.0.1"));
    },
  ],
];

/** Sends a whole event, or `partialBody` without ending the stream. Returns the response once the stream has closed. */
async function post(
  session: http2.ClientHttp2Session,
  headers: Record<string, string>,
  partialBody?: string | Uint8Array,
) {
  const stream = session.request({ ":method": "POST", ":path": "/offer/response", ...headers });
  if (partialBody === undefined) stream.end(JSON.stringify(acceptedResponse));
  else stream.write(partialBody);
  let body = "";
  stream.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  const closed = once(stream, "close");
  const [{ ":status": status }] = await once(stream, "response");
  await closed;
  return { status, code: body === "" ? undefined : JSON.parse(body).code, rstCode: stream.rstCode };
}

const rstCode = http2.constants.NGHTTP2_NO_ERROR;

/** More bytes than a session accepts before the receiver reads them. */
const unfinishedBody = new Uint8Array(300_000).fill(0x20);

const rejections: [description: string, headers: () => Record<string, string>, status: number, code: string][] = [
  ["an unsigned body", () => ({}), 401, "invalid_signature"],
  ["an unsigned body with a length", () => ({ "content-length": "30000000" }), 401, "invalid_signature"],
  ["a body that is too long", createJsonHeaders, 413, "body_too_large"],
  ["a length that is too long", () => createJsonHeaders({ "content-length": "30000000" }), 413, "body_too_large"],
];

describe.each(servers)("%s over HTTP/2", (_name, connect) => {
  test.each(rejections)(
    "a receiver ends the stream of %s and accepts the next event of the session",
    async (_description, headers, status, code) => {
      const onWorkerOfferResponse = vi.fn();
      const session = await connect(webhookListener({ secret, maxBodyBytes: 100_000, onWorkerOfferResponse }));
      // Sends the body three times, because a session that never enlarges its window accepts only 65,535 bytes in total.
      for (let round = 0; round < 3; round += 1)
        expect(await post(session, headers(), unfinishedBody)).toEqual({ status, code, rstCode });
      expect(await post(session, createJsonHeaders())).toMatchObject({ status: 200, rstCode });
      expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
    },
  );

  test("a receiver ends the stream of a body that does not arrive in time", async () => {
    const session = await connect(async (received, response) => {
      const request = received as IncomingMessage;
      // Allows 100 bytes and 40 ms.
      const result = await Promise.resolve(readNodeBody(request, 100, 40)).catch((error: Rejected) => error);
      writeNodeResponse(request, response, "response" in result ? result.response : acknowledged);
    });
    expect(await post(session, createJsonHeaders(), "{")).toEqual({ status: 408, code: "body_timeout", rstCode });
    expect(await post(session, createJsonHeaders())).toMatchObject({ status: 200, rstCode });
  });

  test("if the sender cancels before its body is read, the receiver calls onRejected instead of onError", async () => {
    const onRejected = vi.fn();
    const onError = vi.fn();
    let resolveSecret = (_secret: string) => {};
    const lookUpSecret = vi.fn(
      () =>
        new Promise<string>((resolve) => {
          resolveSecret = resolve;
        }),
    );
    const onWorkerOfferResponse = () => undefined;
    const session = await connect(
      webhookListener({ secret: lookUpSecret, onRejected, onError, onWorkerOfferResponse }),
    );
    const stream = session.request({ ":method": "POST", ":path": "/offer/response", ...createJsonHeaders() });
    stream.write("{");
    await vi.waitFor(() => expect(lookUpSecret).toHaveBeenCalled(), { timeout: 60_000 });
    stream.close(http2.constants.NGHTTP2_CANCEL);
    // The response to a ping arrives after the server has read the reset.
    await new Promise((resolve) => session.ping(resolve));
    resolveSecret(secret);
    await vi.waitFor(() => expect([...onRejected.mock.calls, ...onError.mock.calls]).toHaveLength(1), {
      timeout: 60_000,
    });
    expect(onRejected).toHaveBeenCalledWith(expect.objectContaining({ code: "body_incomplete" }));
  });
});
