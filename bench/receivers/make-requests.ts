import { randomUUID } from "node:crypto";
import { type ReceiverCandidate, webhookPath } from "./candidate.ts";
import { makeEvent, type Padding } from "./event.ts";

/** The size of an event, and its padding. */
export interface EventShape {
  readonly bytes: number;
  readonly padding: Padding;
}

/** Builds complete HTTP requests, signed now and each with a different event, ready to be written to a socket. */
export async function makeRequests({ sign }: ReceiverCandidate, count: number, shape: EventShape): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  for (let index = 0; index < count; index += 1) {
    const body = makeEvent(shape.bytes, shape.padding);
    const headers = {
      Host: "integrator.example:443",
      "User-Agent": "offers-service/1.0",
      Accept: "application/json",
      "Accept-Encoding": "gzip, deflate",
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": String(Buffer.byteLength(body)),
      ...(await sign(body, randomUUID())),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    requests.push(Buffer.from(`POST ${webhookPath} HTTP/1.1\r\n${lines.join("")}\r\n${body}`));
  }
  return requests;
}
