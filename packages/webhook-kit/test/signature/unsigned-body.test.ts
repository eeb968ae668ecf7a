import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters } from "../support/adapters.ts";
import { secret } from "../support/serve.ts";

const thirtyMegabytes = " ".repeat(30_000_000);
const head = [
  "POST /offer/response HTTP/1.1",
  "Host: a",
  "Content-Type: application/json",
  `Content-Length: ${thirtyMegabytes.length}`,
  "",
  "",
].join("\r\n");

/** Sends an unsigned 30 MB body over a raw socket. Resolves when the response is complete or the connection closes. */
async function sendUnsigned(adapter: Adapter) {
  const { port, server } = await adapter.serve({ secret, onWorkerOfferResponse: () => undefined });
  let bodyBytesReadAtResponse = Number.NaN;
  let serverSocket: Socket | undefined;
  const observeResponse: RequestListener = ({ socket }, response) => {
    serverSocket = socket;
    response.writeHead = new Proxy(response.writeHead, {
      apply(writeHead, self, args) {
        bodyBytesReadAtResponse = socket.bytesRead - head.length;
        return Reflect.apply(writeHead, self, args);
      },
    });
  };
  server.prependListener("request", observeResponse);
  // In Latin-1, a string has as many characters as bytes, so `isComplete` can compare its length.
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(head + thirtyMegabytes, "latin1");
  let response = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (text) => {
      response += text;
      if (isComplete(response)) resolve();
    });
    // The server closes the connection, possibly with a reset.
    socket.on("error", () => undefined).on("close", () => resolve());
  });
  return { response, bodyBytesReadAtResponse, socket, serverSocket };
}

/** Returns whether the response contains as many bytes of body as its Content-Length states. */
function isComplete(response: string): boolean {
  const [responseHead = "", body] = response.split("\r\n\r\n");
  return body?.length === Number(/content-length: (\d+)/i.exec(responseHead)?.[1]);
}

describe.each(adapters)("$name", (adapter) => {
  test("a receiver responds to an unsigned 30 MB body after reading less than 64 kB", async () => {
    const { response, bodyBytesReadAtResponse, socket } = await sendUnsigned(adapter);
    socket.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
    expect(isComplete(response)).toBe(true);
    expect(bodyBytesReadAtResponse).toBeLessThan(64 * 1024);
  });
});

describe.each(adapters.filter(({ isNode }) => isNode))("$name", (adapter) => {
  test("a receiver closes the connection if the sender keeps sending an unsigned 30 MB body", async () => {
    const { response, socket, serverSocket } = await sendUnsigned(adapter);
    expect(response).toMatch(/connection: close/i);
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    expect(serverSocket?.bytesRead).toBeLessThan(256 * 1024);
  });
});
