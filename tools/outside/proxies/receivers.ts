import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type SignatureScheme, standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import { webhookRouter } from "@offers/webhook-kit/express";
import { webhookListener } from "@offers/webhook-kit/node";
import { signHeaders, testReceiver } from "@offers/webhook-kit/testing";
import express from "express";
import type { Draft } from "./raw-request.ts";
import type { SeenRequest, Upstream } from "./upstream.ts";

const schemes: Readonly<Record<string, { scheme: SignatureScheme; secret: string; credentials: readonly string[] }>> = {
  sha256: {
    scheme: timestampDigest({ variant: "sha256" }),
    secret: randomUUID(),
    credentials: ["Timestamp", "Authorization"],
  },
  hmac: {
    scheme: timestampDigest({ variant: "hmac" }),
    secret: randomUUID(),
    credentials: ["Timestamp", "Authorization"],
  },
  standard: {
    scheme: standardWebhooks(),
    secret: `whsec_${Buffer.from(randomUUID()).toString("base64")}`,
    credentials: ["webhook-id", "webhook-timestamp", "webhook-signature"],
  },
};

export const receiverNames = ["node-sha256", "node-standard", "express-hmac", "express-standard"];

/** A receiver whose handlers record what they get. @param name adapter and scheme */
export async function startReceiver(name: string): Promise<Upstream> {
  const [adapter = "", schemeName = ""] = name.split("-");
  const { scheme, secret, credentials } = schemes[schemeName] as (typeof schemes)[string];
  const seen = new Map<string, SeenRequest>();
  const effects: string[] = [];
  const failures: string[] = [];
  const options = {
    secret,
    scheme,
    onEvent: (event: { data: object }) => {
      const { workerId } = event.data as { workerId: string };
      effects.push(workerId);
    },
    onError: ({ code, message }: { code: string; message: string }) => failures.push(`${code}: ${message}`),
    suggestContacts: () => [],
    onRejected: () => undefined,
  };
  // Express passes on what is no webhook's.
  const notFound: RequestListener = (_, response) =>
    void response.writeHead(404, { "content-type": "application/problem+json" }).end('{"status":404}');
  const receiver: RequestListener =
    adapter === "express"
      ? express().use("/offers", webhookRouter(options)).use(notFound)
      : webhookListener({ ...options, basePath: "/offers" });
  const server = createServer((request, response) => {
    const id = String(seen.size + 1);
    seen.set(id, { method: request.method ?? "", target: request.url ?? "", isTemplate: false });
    response.setHeader("X-Request-Id", id);
    receiver(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");

  const sign = async (method: string, target: string, marker: string, body: Buffer): Promise<Draft> => {
    const signature = await signHeaders({ secret, scheme, body, id: `msg_${randomUUID()}` });
    const content = method === "GET" ? [] : ["Content-Type: application/json", `Content-Length: ${body.length}`];
    const headers = ["Host: localhost", "Connection: close", ...content];
    for (const header of Object.entries(signature)) headers.push(header.join(": "));
    return { method, target, version: "HTTP/1.1", headers, body, marker };
  };
  return {
    name,
    port: (server.address() as AddressInfo).port,
    credentials,
    seen,
    failures,
    readEffects: async () => effects,
    draft(length = 0) {
      const marker = `wörker-${randomUUID()}-漢字😀`;
      const event = { offerId: "offer_1", workerId: marker, response: "accepted", note: "é漢😀".padEnd(length, "x") };
      return sign("POST", "/offers/offer/response", marker, Buffer.from(JSON.stringify(event)));
    },
    draftInPath(encoded) {
      const unique = randomUUID();
      const marker = decodeURIComponent(`${unique}${encoded}`);
      return sign("GET", `/offers/contact/new/${unique}${encoded}`, marker, Buffer.alloc(0));
    },
    async journey(port) {
      const found: string[] = [];
      const address = `http://127.0.0.1:${port}/offers`;
      const tested = await testReceiver(address, { secret, scheme });
      const event = { offerId: "offer_漢字", workerId: `wörker ${randomUUID()}`, response: "accepted" };
      const { status } = await tested.workerOfferResponse(event);
      if (status !== 200) found.push(`an event gets ${status}`);
      // Valid and forged requests of every endpoint.
      found.push(...(await tested.checkContract()));
      await tested.close();
      return found;
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
