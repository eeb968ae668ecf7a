// A service under faults, as a process of its own: node server.ts <seed>. It sends its address, and counts on request.
import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { listen } from "../../processes/listen.ts";
import { faultFor, respond } from "./faults.ts";

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

// Longer than any run: a connection that it closes itself while a request is under way would be a reset that no fault made.
const options = { keepAliveTimeout: 3_600_000, requestTimeout: 0 };
const other = await listen((_, response) => {
  redirectTarget++;
  response.end();
}, options);
const { address, server } = await listen(serve, options);
const countConnections = promisify(server.getConnections.bind(server));

process.on("message", async () => {
  let connections = await countConnections();
  // A close may still be under way.
  for (let left = 100; connections && left; left--) {
    await sleep(50);
    connections = await countConnections();
  }
  process.send?.({ requests, repeated, redirectTarget, connections } satisfies Counts);
});
process.on("disconnect", () => process.exit());
process.send?.(address);
