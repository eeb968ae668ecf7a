import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { EventStreams } from "./event-streams.ts";

test("keeps a stream open when its session outlasts the longest timer", async () => {
  const streams = new EventStreams();
  const server = express()
    .get("/", (_request, response) => {
      const session = {
        id: "session",
        ownerId: "ann",
        expiresInMs: 30 * 24 * 60 * 60 * 1_000,
        check: async () => undefined,
      };
      const send = streams.start(response, session);
      setTimeout(() => send({ id: 1, type: "offer", data: {} }), 20);
    })
    .listen(0, "127.0.0.1");
  onTestFinished(() => {
    streams.end();
    server.close();
  });
  await once(server, "listening");
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  let received = "";
  for await (const chunk of response.body ?? []) {
    received += new TextDecoder().decode(chunk);
    if (received.includes("event: offer")) break;
  }
  expect(received).toContain("event: offer");
});

test("a user's twenty-first stream ends the oldest, and nobody else's [D-163]", async () => {
  const streams = new EventStreams();
  const server = express()
    .get("/:owner", (request, response) => {
      const session = {
        id: "session",
        ownerId: request.params.owner,
        expiresInMs: 60_000,
        check: async () => undefined,
      };
      streams.start(response, session);
    })
    .listen(0, "127.0.0.1");
  onTestFinished(() => {
    streams.end();
    server.close();
  });
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = (owner: string) => fetch(`${address}/${owner}`);
  await open("bo");
  const oldest = await open("ann");
  for (let count = 0; count < 19; count += 1) await open("ann");
  expect(streams.count).toBe(21);
  await open("ann");
  expect(await oldest.text()).toBe("retry: 1000\n\n");
  await expect.poll(() => streams.count).toBe(21);
});
