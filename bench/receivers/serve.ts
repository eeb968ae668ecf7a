// Runs one receiver in a separate process, and reports its CPU time when the parent requests it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReceiverCandidate } from "./candidate.ts";

/** The usage that a receiver process reports. */
export interface Usage {
  /** The CPU time in user and system mode. */
  readonly cpuMicroseconds: number;
  /** Events that reached the user's own code. */
  readonly handledCount: number;
}

const [, , module = ""] = process.argv;
const { candidate } = (await import(module)) as { candidate: ReceiverCandidate };
let handledCount = 0;
const server = createServer(
  candidate.createListener(() => {
    handledCount += 1;
  }),
);
// Keep connections open while the next requests are prepared and signed.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicroseconds: user + system, handledCount } satisfies Usage);
});
process.on("disconnect", () => process.exit());
