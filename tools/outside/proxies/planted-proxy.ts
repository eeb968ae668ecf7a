import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import type { LoggedRequest, ProxyServer } from "./proxy-servers.ts";

/** A proxy that takes all bytes of a connection for one request: whatever follows the first one is smuggled past it. */
export async function startPlantedProxy(upstreamPort: number): Promise<ProxyServer> {
  const logged: LoggedRequest[] = [];
  const server = createServer((client) => {
    const upstream = connect(upstreamPort, "127.0.0.1");
    let asked = "";
    let answered = "";
    client.on("data", (bytes) => (asked += bytes.toString("latin1")));
    upstream.on("data", (bytes) => (answered += bytes.toString("latin1")));
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    client.once("close", () => {
      upstream.destroy();
      const [method = "", target = ""] = asked.split(" ");
      const [, status = "0", id = ""] = /^HTTP\/1\.1 (\d+).*?X-Request-Id: ([\w-]+)/s.exec(answered) ?? [];
      logged.push({ method, target, path: target, status: Number(status), isForwarded: true, id });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const stop = async () => void server.close();
  return { name: "planted", title: "planted", port, readLog: async () => logged, lines: [], stop };
}
