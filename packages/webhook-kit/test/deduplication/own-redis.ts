import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { findFreePort } from "../../../../scripts/processes/free-port.ts";

const execute = promisify(execFile);

const binary = "redis-server";

/** Returns whether this machine can start Redis servers. */
export const hasRedisServer = (path = process.env.PATH ?? ""): boolean =>
  path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, binary), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** How long a node may be unreachable before another node takes over. */
const maxSilenceMs = 1_500;

/** A redis-server process on a loopback port, which a test can kill. */
export class RedisNode {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#child = child;
    this.#folder = folder;
  }

  /** Starts a node, and waits until it responds. @param config the lines of redis.conf */
  static async start(config: readonly string[], ...flags: string[]): Promise<RedisNode> {
    const port = await findFreePort();
    const folder = await mkdtemp(join(tmpdir(), "offers-redis-"));
    const file = join(folder, "redis.conf");
    await writeFile(file, [`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, 'save ""', ...config].join("\n"));
    const node = new RedisNode(port, spawn(binary, [file, ...flags], { stdio: "ignore" }), folder);
    while ((await node.runCli("ping").catch(() => "")) !== "PONG") await pause(20);
    return node;
  }

  /** Runs redis-cli and returns its output. */
  async runCli(...command: string[]): Promise<string> {
    const { stdout } = await execute("redis-cli", ["-h", "127.0.0.1", "-p", String(this.port), ...command], {
      timeout: 10_000,
    });
    return stdout.trim();
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Several nodes, including a primary that a test can kill. */
export interface RedisGroup {
  /** The ports of the nodes or sentinels that clients connect to first. */
  readonly ports: readonly number[];
  /** A primary, and the replica that takes over from it. */
  readonly primary: RedisNode;
  readonly replica: RedisNode;
  remove(): Promise<void>;
}

const removeAll = async (nodes: readonly RedisNode[]): Promise<void> => {
  for (const node of nodes) await node.remove();
};

async function waitForCluster(node: RedisNode): Promise<void> {
  while (!(await node.runCli("cluster", "info")).includes("cluster_state:ok")) await pause(100);
}

/** Waits until a replica is connected to the primary and in sync. */
async function waitForReplica(primary: RedisNode): Promise<void> {
  while (!(await primary.runCli("info", "replication")).includes("state=online")) await pause(50);
}

/** Starts a cluster of one node with every slot. Like a larger cluster, it rejects a command with keys in two slots. */
export async function startOneNodeCluster(): Promise<RedisNode> {
  const settings = [`cluster-port ${await findFreePort()}`, "cluster-announce-ip 127.0.0.1"];
  const node = await RedisNode.start(["cluster-enabled yes", ...settings]);
  await node.runCli("cluster", "addslotsrange", "0", "16383");
  await waitForCluster(node);
  return node;
}

/** Starts a cluster of three primaries, each with one replica. */
export async function startRedisCluster(): Promise<RedisGroup> {
  const nodes: RedisNode[] = [];
  for (let count = 0; count < 6; count += 1) {
    const busPort = await findFreePort();
    const settings = ["cluster-enabled yes", `cluster-port ${busPort}`, `cluster-node-timeout ${maxSilenceMs}`];
    nodes.push(await RedisNode.start(settings));
  }
  const [primary] = nodes as [RedisNode];
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await execute("redis-cli", ["--cluster", "create", ...addresses, "--cluster-replicas", "1", "--cluster-yes"]);
  for (const node of nodes) await waitForCluster(node);
  const id = await primary.runCli("cluster", "myid");
  let replica: RedisNode | undefined;
  while (replica === undefined) {
    const port = /127\.0\.0\.1:(\d+)@/.exec(await primary.runCli("cluster", "replicas", id))?.[1];
    replica = nodes.find((node) => String(node.port) === port);
  }
  await waitForReplica(primary);
  return { ports: nodes.map(({ port }) => port), primary, replica, remove: () => removeAll(nodes) };
}

/** Starts a primary, a replica, and three sentinels that monitor the primary under the name `main`. */
export async function startRedisSentinels(): Promise<RedisGroup> {
  const primary = await RedisNode.start([]);
  const replica = await RedisNode.start([`replicaof 127.0.0.1 ${primary.port}`]);
  await waitForReplica(primary);
  const settings = [
    `sentinel monitor main 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds main ${maxSilenceMs}`,
    "sentinel failover-timeout main 5000",
  ];
  const sentinels: RedisNode[] = [];
  for (let count = 0; count < 3; count += 1) sentinels.push(await RedisNode.start(settings, "--sentinel"));
  for (const sentinel of sentinels)
    while (!/num-slaves\n1\n[\s\S]*num-other-sentinels\n2/.test(await sentinel.runCli("sentinel", "master", "main")))
      await pause(100);
  return {
    ports: sentinels.map(({ port }) => port),
    primary,
    replica,
    remove: () => removeAll([primary, replica, ...sentinels]),
  };
}
