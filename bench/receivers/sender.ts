import { once } from "node:events";
import { connect, type Socket } from "node:net";

/**
 * Sends prepared requests over keep-alive connections. Checks only that each response is 2xx and complete, because the sender must use less
 * CPU time than the measured server.
 */
export class Sender {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  static async open(port: number, connections: number): Promise<Sender> {
    const sockets = Array.from({ length: connections }, () => connect({ port, host: "127.0.0.1", noDelay: true }));
    await Promise.all(sockets.map((socket) => once(socket, "connect")));
    return new Sender(sockets);
  }

  /**
   * Sends the requests over all connections. Each connection waits for a response before it sends its next request.
   *
   * @throws if a response is not 2xx or the server closes a connection
   */
  async send(requests: readonly Buffer[]): Promise<void> {
    const queue = requests.values();
    await Promise.all(this.#sockets.map((socket) => sendSequentially(socket, queue)));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Sends requests from the shared queue until it is empty, each after the response to the previous one. */
function sendSequentially(socket: Socket, queue: Iterator<Buffer>): Promise<void> {
  return new Promise((resolve, reject) => {
    let responseText = "";
    const settle = (resolveOrReject: () => void) => {
      socket.off("data", onData).off("close", onClose);
      resolveOrReject();
    };
    const sendNext = () => {
      const { value, done } = queue.next();
      if (done) settle(resolve);
      else socket.write(value);
    };
    const onData = (chunk: Buffer) => {
      // In Latin-1, each byte is one character, so `isCompleteResponse` can count the bytes.
      responseText += chunk.toString("latin1");
      if (!isCompleteResponse(responseText)) return;
      const response = responseText;
      responseText = "";
      if (response.startsWith("HTTP/1.1 2")) sendNext();
      else settle(() => reject(new Error(`A request was rejected:\n${response}`)));
    };
    const onClose = () => settle(() => reject(new Error("The server closed a connection.")));
    socket.on("data", onData).on("close", onClose);
    if (socket.destroyed) onClose();
    else sendNext();
  });
}

/** Returns whether the string contains a whole response. */
function isCompleteResponse(response: string): boolean {
  const headEnd = response.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, headEnd))?.[1];
  // A 2xx body without a length is chunked. Any other body starts after the four characters of `\r\n\r\n`.
  return length === undefined ? response.endsWith("\r\n0\r\n\r\n") : response.length === headEnd + 4 + Number(length);
}
