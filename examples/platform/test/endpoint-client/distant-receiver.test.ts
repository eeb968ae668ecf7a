import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createEndpointClient } from "../../src/endpoint-client/create-endpoint-client.ts";

/**
 * A program that accepts no connection until it reads a byte. Until then, two connections fill the backlog, and the kernel drops the SYN of
 * a third, which is retransmitted after 1 s and 3 s.
 */
const program = `
  const server = require("node:http").createServer((_, response) => response.end());
  server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    require("node:fs").writeSync(1, String(server.address().port));
    require("node:fs").readSync(0, Buffer.alloc(1));
  });`;

test.runIf(process.platform === "linux")(
  "reaches a receiver that is 1 s away, even if its other address belongs to an unavailable family",
  async () => {
    const child = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill());
    const [port] = await once(child.stdout, "data");
    const waiting = [0, 1].map(() => connect(Number(port), "127.0.0.1").on("error", () => undefined));
    onTestFinished(() => waiting.forEach((socket) => void socket.destroy()));
    await Promise.all(waiting.map((socket) => once(socket, "connect")));
    const outbound = createEndpointClient({
      allowLoopback: true,
      connectTimeoutMs: 15_000,
      // Nothing is listening on the second address.
      resolve: async () => [
        { address: "127.0.0.1", family: 4 },
        { address: "::1", family: 6 },
      ],
    });
    onTestFinished(() => outbound.close());
    const started = performance.now();
    setTimeout(() => child.stdin.write("x"), 500);
    const result = await outbound.send({
      method: "GET",
      baseAddress: `http://receiver.example:${port}`,
      path: "/test",
      timeoutMs: 15_000,
    });
    expect(result).toMatchObject({ ok: true, status: 200 });
    expect(performance.now() - started).toBeGreaterThan(500);
  },
);
