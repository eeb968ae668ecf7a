import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";

/**
 * A program that does not accept connections until it reads a byte. Until then, two connections fill the backlog. The kernel drops the SYN
 * of a third connection, which the client retransmits after 1 s and 3 s.
 */
const serverCode = `
  const server = require("node:http").createServer((_, response) => response.end());
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:fs").writeSync(1, String(server.address().port));
    require("node:fs").readSync(0, Buffer.alloc(1));
  });`;

test.runIf(process.platform === "linux")(
  "a receiver that takes 1 s to accept a connection is reached, even if its other address refuses connections",
  async () => {
    const child = spawn(process.execPath, ["-e", serverCode], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill());
    const [port] = await once(child.stdout, "data");
    const queuedSockets = [0, 1].map(() => connect(Number(port), "127.0.0.1").on("error", () => undefined));
    onTestFinished(() => queuedSockets.forEach((socket) => void socket.destroy()));
    await Promise.all(queuedSockets.map((socket) => once(socket, "connect")));
    const endpointClient = createEndpointClient({
      allowLoopback: true,
      connectTimeoutMs: 15_000,
      // Nothing is listening on the second address.
      resolve: async () => [
        { address: "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ],
    });
    onTestFinished(() => endpointClient.close());
    const startedAt = performance.now();
    setTimeout(() => child.stdin.write("x"), 500);
    const result = await endpointClient.send({
      method: "GET",
      baseAddress: `http://receiver.example:${port}`,
      path: "/test",
      timeoutMs: 15_000,
    });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  },
);
