import type { Socket } from "node:net";
import { maxSuggestionsBytes } from "../../generated/decisions.ts";

/** Of one response as it comes over the wire, with its headers and all that frames it: far more than is read of any (D-24). */
const maxWireBytes = 4 * maxSuggestionsBytes;
const readChunkBytes = 4_096;

/** A connection that was closed because its response is too large. */
export class ResponseTooLargeError extends Error {
  override readonly name = "ResponseTooLargeError";
  readonly code = "protocol_error";

  constructor() {
    super("the response is too large");
  }
}

/**
 * Keeps a response from taking the time of all other attempts. What frames a response is no body, so undici does not count it, but to
 * parse it as fast as it comes is work: a connection that goes on and on is closed.
 */
export function limitResponseBytes(socket: Socket): void {
  let written = 0;
  let responseStart = 0;
  let readSoFar = 0;
  socket.on("readable", () => {
    // One request at a time: what was written since is the next one.
    if (socket.bytesWritten !== written) responseStart = readSoFar;
    written = socket.bytesWritten;
    readSoFar = socket.bytesRead;
    if (readSoFar - responseStart > maxWireBytes) socket.destroy(new ResponseTooLargeError());
  });
  // Headers that are too large destroy the socket, but undici parses on, with an error for each further line: 100 ms for
  // 64 kB. So it is given small pieces, and none after the end.
  const read = socket.read.bind(socket);
  socket.read = (size?: number) =>
    socket.destroyed ? null : read(size ?? (Math.min(socket.readableLength, readChunkBytes) || undefined));
}
