import { connect } from "node:net";
import { readResponses, type WireResponse } from "./read-responses.ts";

/** What a connection brought until it was closed. */
export interface Exchange {
  responses: WireResponse[];
  /** False if it was not closed in time. */
  isClosed: boolean;
}

/** Far beyond what a response may take; only a receiver that never responds is waited for so long. */
const patienceMs = 10_000;

/**
 * Sends bytes over a connection of their own and reads all that comes back, until the other side closes.
 *
 * @param methods one for each request among the bytes
 * @param end `"half"` closes this side once the bytes are sent, before any response
 */
export function exchange(
  { host, port }: { host: string; port: number },
  bytes: Buffer,
  methods: readonly string[],
  end?: "half",
): Promise<Exchange> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(port, host);
    const settle = (isClosed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ responses: readResponses(text, methods, isClosed), isClosed });
    };
    const timer = setTimeout(() => settle(false), patienceMs);
    socket.setEncoding("latin1");
    socket.on("data", (more) => {
      text += more;
      // A receiver that leaves the connection open is reported that there is nothing to come; what it still sends is read.
      if (readResponses(text, methods, false).length >= methods.length) socket.end();
    });
    // A reset comes before or after a response; which, the response's presence says.
    socket.on("error", () => undefined);
    socket.on("close", () => settle(true));
    if (end === "half") socket.end(bytes);
    else socket.write(bytes);
  });
}
