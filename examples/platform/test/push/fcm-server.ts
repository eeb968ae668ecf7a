import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, buildConnector } from "undici";
import type { NotificationReason } from "../../src/push/push-transport.ts";
import { PushOrder } from "./push-order.ts";

export interface FcmRequest {
  host: string;
  path: string;
  authorization: string | undefined;
  body: string;
}

export interface FcmMessage {
  token: string;
  data: { sequence: string; offerId: string; reason: NotificationReason };
  [member: string]: unknown;
}

/** A response, `null` to send no response, or `reset` to reset the connection. */
export type FcmResponse = { status: number; body: object } | "reset" | null;

/** A fake server on loopback for Google's token endpoint and Firebase Cloud Messaging. */
export interface FcmServer {
  /** An agent that sends every request to this server, regardless of its host. */
  dispatcher: Agent;
  /** The received messages, in order. */
  messages: FcmMessage[];
  requests: FcmRequest[];
  /** Decides the response to each message. It can be replaced at any time. */
  respond: (message: FcmMessage) => FcmResponse;
  /** Checks the order of the messages. A push ends when it gets its response or when the sender closes the connection. */
  order: PushOrder;
  /** The server's port on loopback. */
  port: number;
  /** The server's certificate for Google's host names. */
  certificate: string;
  close(): Promise<void>;
}

export const accepted = { status: 200, body: { name: "projects/demo/messages/1" } };

export const rejectWith = (status: number, errorCode: string, message = `rejected: ${errorCode}`) => ({
  status,
  body: {
    error: {
      code: status,
      status: status === 404 ? "NOT_FOUND" : "UNAVAILABLE",
      message,
      details: [{ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", errorCode }],
    },
  },
});

/** Creates a self-signed certificate for Google's host names. Only clients that are given the certificate trust it. */
function createCertificate(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), "offers-fcm-"));
  try {
    const hostNames = "subjectAltName=DNS:fcm.googleapis.com,DNS:oauth2.googleapis.com,DNS:www.googleapis.com";
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const output = ["-keyout", "key.pem", "-out", "cert.pem", "-days", "1", "-subj", "/CN=test", "-addext", hostNames];
    execFileSync("openssl", [...request, ...output], { cwd: folder, stdio: "pipe" });
    const read = (name: string) => readFileSync(join(folder, name), "utf8");
    return { cert: read("cert.pem"), key: read("key.pem") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function createAgent(port: number, ca: string): Agent {
  const connector = buildConnector({ ca });
  return new Agent({
    connect: (options, done) =>
      connector({ ...options, hostname: "127.0.0.1", port: String(port), servername: options.hostname }, done),
  });
}

export async function openFcmServer(): Promise<FcmServer> {
  const certificate = createCertificate();
  const https = createServer(certificate, (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { host = "", authorization } = incoming.headers;
      const body = Buffer.concat(chunks).toString();
      server.requests.push({ host, path: incoming.url ?? "", authorization, body });
      const send = (status: number, json: object): void =>
        void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
      // The token endpoint has a different host name.
      if (!host.startsWith("fcm."))
        return send(200, { access_token: "access-1", expires_in: 3_600, token_type: "Bearer" });
      const { message } = JSON.parse(body);
      server.messages.push(message);
      const { offerId, reason, sequence } = message.data;
      // A message does not contain the worker's id.
      const device = { id: message.token, workerId: "" };
      response.once("close", server.order.recordStart(device, { id: Number(sequence), offerId, reason }));
      const fcmResponse = server.respond(message);
      if (fcmResponse === "reset") incoming.socket.destroy();
      else if (fcmResponse !== null) send(fcmResponse.status, fcmResponse.body);
    });
  });
  https.listen(0, "127.0.0.1");
  await once(https, "listening");
  const { port } = https.address() as AddressInfo;
  const server: FcmServer = {
    dispatcher: createAgent(port, certificate.cert),
    order: new PushOrder(),
    port,
    certificate: certificate.cert,
    messages: [],
    requests: [],
    respond: () => accepted,
    async close() {
      const closed = once(https, "close");
      https.close();
      https.closeAllConnections();
      await closed;
    },
  };
  return server;
}
