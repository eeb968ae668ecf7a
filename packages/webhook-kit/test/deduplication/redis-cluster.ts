import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createClient } from "redis";

const binary = "redis-server";

/** Whether this machine can start its own cluster. */
export const hasRedisServer = (path = process.env.PATH ?? ""): boolean =>
  path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** A cluster of one node that has every slot: it rejects keys of two slots in one command, as a large one does. */
export async function startCluster() {
  const [port, busPort] = [await findFreePort(), await findFreePort()];
  const folder = await mkdtemp(join(tmpdir(), "offers-redis-"));
  const settings = {
    port,
    "cluster-port": busPort,
    bind: "127.0.0.1",
    dir: folder,
    "cluster-enabled": "yes",
    "cluster-announce-ip": "127.0.0.1",
    save: "",
  };
  const child = spawn(
    binary,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: "ignore" },
  );
  const exited = once(child, "exit");
  const client = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 20 } });
  client.on("error", () => undefined);
  await client.connect();
  await client.sendCommand(["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]);
  for (;;) if ((await client.clusterInfo()).includes("cluster_state:ok")) break;
  await client.close();
  return {
    port,
    async stop() {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
