import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { type Adapter, adapters } from "../support/adapters.ts";
import { secret } from "../support/serve.ts";

const megabytes30 = " ".repeat(30_000_000);
const head = [
  "POST /offer/response HTTP/1.1",
  "Host: a",
  "Content-Type: application/json",
  `Content-Length: ${megabytes30.length}`,
  "",
  "",
].join("\r\n");

/** Sends everything over a raw socket, as fast as it is accepted, and hangs up when the response is complete. */
async function sendUnsigned(adapter: Adapter) {
  const { port, server } = await adapter.serve({ secret, onWorkerOfferResponse: () => undefined });
  const read = { whenResponded: Number.NaN };
  let serverSide: Socket | undefined;
  const watch: RequestListener = ({ socket }, response) => {
    serverSide = socket;
    response.writeHead = new Proxy(response.writeHead, {
      apply(writeHead, self, args) {
        read.whenResponded = socket.bytesRead - head.length;
        return Reflect.apply(writeHead, self, args);
      },
    });
  };
  server.prependListener("request", watch);
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  socket.write(head + megabytes30, "latin1");
  let response = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (text) => {
      response += text;
      if (isComplete(response)) resolve();
    });
    // The server closes the connection, possibly with a reset.
    socket.on("error", () => undefined).on("close", () => resolve());
  });
  return { response, read, socket, serverSide };
}

function isComplete(response: string): boolean {
  const [responseHead = "", body] = response.split("\r\n\r\n");
  return body?.length === Number(/content-length: (\d+)/i.exec(responseHead)?.[1]);
}

describe.each(adapters)("$name", (adapter) => {
  test("responds to an unsigned body of 30 MB after reading less than 64 kB", async () => {
    const { response, read, socket } = await sendUnsigned(adapter);
    socket.destroy();
    expect(response).toMatch(/^HTTP\/1\.1 401 /);
    expect(isComplete(response)).toBe(true);
    expect(read.whenResponded).toBeLessThan(64 * 1024);
  });
});

describe.each(adapters.filter(({ isNode }) => isNode))("$name", (adapter) => {
  test("closes the connection of a sender who keeps sending an unsigned body of 30 MB", async () => {
    const { response, socket, serverSide } = await sendUnsigned(adapter);
    expect(response).toMatch(/connection: close/i);
    if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
    expect(serverSide?.bytesRead).toBeLessThan(256 * 1024);
  });
});
