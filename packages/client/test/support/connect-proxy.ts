import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a forward proxy on loopback that opens tunnels, or rejects them with `refusalStatus`. Records the CONNECT requests. */
export async function startConnectProxy(refusalStatus?: string) {
  const connectRequests: { target: string | undefined; headers: object }[] = [];
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket.on("error", () => socket.destroy()));
    return socket;
  };
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on("connection", track);
  server.on("connect", (request, client, head) => {
    connectRequests.push({ target: request.url, headers: request.headers });
    if (refusalStatus) return void client.end(`HTTP/1.1 ${refusalStatus}\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = track(connect(Number(port), hostname, () => client.write("HTTP/1.1 200 OK\r\n\r\n")));
    upstream.write(head);
    upstream.pipe(client).pipe(upstream);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  });
  return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connectRequests };
}
