import { createOutbound, type OutboundOptions } from "../../src/dispatch/outbound/create-outbound.ts";
import type { OutboundRequest, OutboundResult } from "../../src/dispatch/outbound/outbound.ts";

/** Sends one request, by default `GET /test`, through a client of its own. */
export async function sendRequest(
  options: OutboundOptions,
  request: Partial<OutboundRequest> & { baseAddress: string },
): Promise<OutboundResult> {
  const outbound = createOutbound(options);
  try {
    return await outbound.send({ method: "GET", path: "/test", timeoutMs: 5_000, ...request });
  } finally {
    await outbound.close();
  }
}
