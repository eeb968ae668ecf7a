import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { createRequire } from "node:module";
import { type AddressInfo, connect } from "node:net";
import express from "express";
import { onTestFinished } from "vitest";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** Express 4. It has the types of Express 5, which are the same for everything that the tests use. */
export const express4 = createRequire(import.meta.url)("express4") as typeof express;

export const expressVersions: { version: number; express: typeof express }[] = [
  { version: 4, express: express4 },
  { version: 5, express },
];

export const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

/** Options for tests that provoke rejections, which a receiver prints if it has neither a hook nor a logger. */
export const quietOptions = { onRejected: () => undefined };

/** Creates the headers of a request that is signed now, and adds `headers` to them. */
export const createSignedHeaders = (headers: Record<string, string> = {}): Record<string, string> => ({
  ...timestampDigest().sign({ secret, now: new Date() }),
  ...headers,
});

/** Creates the headers of a request with a JSON body that is signed now, and adds `headers` to them. */
export const createJsonHeaders = (headers: Record<string, string> = {}) =>
  createSignedHeaders({ "content-type": "application/json", ...headers });

/** A server that listens on a loopback port. */
export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly server: Server;
}

/** Starts a real server on a free loopback port, and closes it after the test. */
export const serve = (listener: RequestListener): Promise<RunningServer> =>
  serveUntilTestFinished(createServer(listener).listen(0, "127.0.0.1"));

/** Waits until a server listens on 127.0.0.1, and closes it after the test. */
export async function serveUntilTestFinished(server: Server): Promise<RunningServer> {
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, server };
}

/** Sends text as UTF-8 over a new connection. @returns the bytes that arrive before it closes, decoded as Latin-1 */
export async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("latin1");
}
