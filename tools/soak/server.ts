// A service under faults, as a process of its own: node server.ts <seed>. It sends its address, and counts on request.
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { faultFor } from "./fault-plan.ts";
import { respond } from "./respond.ts";

/** What the service has seen. */
export interface Counts {
  requests: number;
  /** Creations and completions that arrived again: each may have had a second effect. */
  repeated: number;
  /** Requests that followed a redirect to another origin. */
  redirectTarget: number;
  /** Connections that are open now. */
  connections: number;
}

const seed = Number(process.argv[2]);
let requests = 0;
let repeated = 0;
let redirectTarget = 0;
const creations = new Set<string>();

const serve: RequestListener = async (request, response) => {
  requests++;
  // The connection may break at any time.
  request.on("error", () => {});
  response.on("error", () => {});
  await text(request).catch(() => {});
  const key = request.headers["idempotency-key"];
  if (typeof key === "string") {
    if (creations.has(key)) repeated++;
    creations.add(key);
  }
  respond(faultFor(seed, Number(request.headers["x-call"]), Number(request.headers["x-attempt"])), {
    request,
    response,
    redirectTarget: other.address,
  });
};

const other = await listen((_, response) => {
  redirectTarget++;
  response.end();
});
const service = await listen(serve);

process.on("message", async () => {
  let connections = await service.connections();
  // A close may still be under way.
  for (let left = 100; connections && left; left--) {
    await sleep(50);
    connections = await service.connections();
  }
  process.send?.({ requests, repeated, redirectTarget, connections } satisfies Counts);
});
process.on("disconnect", () => process.exit());
process.send?.(service.address);

async function listen(listener: RequestListener) {
  // Longer than any run: a connection that it closes itself while a request is under way would be a reset that no draw made.
  const server = createServer({ keepAliveTimeout: 3_600_000, requestTimeout: 0 }, listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () =>
      new Promise<number>((resolve, reject) =>
        server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
      ),
  };
}
