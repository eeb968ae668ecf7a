import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { adapters } from "../support/adapters.ts";
import { acceptedResponse, post } from "../support/mount.ts";
import { createJsonHeaders, secret, sendRaw } from "../support/serve.ts";

/** Serialises an event as an HTTP/1.1 request, without the last `missingBytes` of its body. */
function serialiseEvent(headers: Record<string, string>, missingBytes = 0): string {
  const body = JSON.stringify(acceptedResponse);
  const lines = Object.entries({ Host: "a", ...headers, "Content-Length": body.length }).map((pair) => pair.join(": "));
  return `POST /offer/response HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body.slice(0, body.length - missingBytes)}`;
}

describe.each(adapters)("$name", (adapter) => {
  test("a request whose sender hangs up before the end of the body is rejected, and only onRejected is called", async () => {
    const onRejected = vi.fn();
    const onWorkerOfferResponse = vi.fn();
    const { port, server } = await adapter.serve({ secret, onRejected, onWorkerOfferResponse });
    const requestArrived = once(server, "request");
    const socket = connect(port, "127.0.0.1");
    socket.write(serialiseEvent(createJsonHeaders(), 1));
    await requestArrived;
    socket.destroy();
    await vi.waitFor(
      () => expect(onRejected).toHaveBeenCalledWith(expect.objectContaining({ code: "body_incomplete" })),
      { timeout: 60_000 },
    );
    expect(onWorkerOfferResponse).not.toHaveBeenCalled();
  });

  test("a sender that hangs up while its event is handled is acknowledged when it retries", async () => {
    let finish = () => {};
    const onWorkerOfferResponse = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
    );
    const { url, port, server } = await adapter.serve({ secret, onWorkerOfferResponse });
    const connected = once(server, "connection") as Promise<[Socket]>;
    const headers = createJsonHeaders();
    const socket = connect(port, "127.0.0.1");
    socket.write(serialiseEvent(headers));
    await vi.waitFor(() => expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1), { timeout: 60_000 });
    const [serverSocket] = await connected;
    const closed = once(serverSocket, "close");
    socket.destroy();
    await closed;
    finish();
    await vi.waitFor(
      async () => expect((await fetch(`${url}/offer/response`, post(acceptedResponse, headers))).status).toBe(200),
      { timeout: 60_000 },
    );
    expect(onWorkerOfferResponse).toHaveBeenCalledTimes(1);
  });

  test.each(["GET *", "GET //", "GET /%", "GET /contact/new/%E0%A4%A", "GET http://a/%", "GET http://", "OPTIONS *"])(
    "%s gets a status below 500, and the server keeps running",
    async (line) => {
      const { url, port } = await adapter.serve({ secret, onWorkerAddedContact: () => undefined });
      const response = await sendRaw(port, `${line} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(response).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect((await fetch(`${url}/test`)).status).toBe(200);
    },
  );
});
