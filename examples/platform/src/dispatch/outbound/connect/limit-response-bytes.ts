import type { Socket } from "node:net";
import { maxSuggestionsBytes } from "../../../generated/decisions.ts";
import { OutboundError } from "../outbound-error.ts";

/** Of one response on the wire, with headers and framing: far more than is read of any (D-24). */
const maxWireBytes = 4 * maxSuggestionsBytes;
const readChunkBytes = 4_096;

/**
 * Closes a connection whose response is too large on the wire. undici counts only the body, but parsing endless headers or
 * chunk framing would take the time of all other attempts.
 */
export function limitResponseBytes(socket: Socket): void {
  let written = 0;
  let responseStart = 0;
  let readSoFar = 0;
  socket.on("readable", () => {
    // Without pipelining, bytes that were written since belong to the next request.
    if (socket.bytesWritten !== written) responseStart = readSoFar;
    written = socket.bytesWritten;
    readSoFar = socket.bytesRead;
    if (readSoFar - responseStart > maxWireBytes)
      socket.destroy(new OutboundError("protocol_error", "the response is too large"));
  });
  // Headers that are too large destroy the socket, but undici parses what it has read, with an error for each line: 100 ms
  // for 64 kB. So it reads small chunks, and none from a destroyed socket.
  const read = socket.read.bind(socket);
  socket.read = (size?: number) =>
    socket.destroyed ? null : read(size ?? (Math.min(socket.readableLength, readChunkBytes) || undefined));
}
