import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts a forward proxy on loopback that opens tunnels, or rejects them with `refusal`. It records the requests. */
export async function connectProxy(refusal?: string) {
  const asked: { target: string | undefined; headers: object }[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket.on("error", () => socket.destroy()));
    return socket;
  };
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on("connection", keep);
  server.on("connect", (request, client, head) => {
    asked.push({ target: request.url, headers: request.headers });
    if (refusal) return void client.end(`HTTP/1.1 ${refusal}\r\n\r\n`);
    const { hostname, port } = new URL(`http://${request.url}`);
    const upstream = keep(connect(Number(port), hostname, () => client.write("HTTP/1.1 200 OK\r\n\r\n")));
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
  return { uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
