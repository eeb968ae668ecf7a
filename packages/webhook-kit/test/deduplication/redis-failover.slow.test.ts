import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Cluster, Redis } from "ioredis";
import { createCluster, createSentinel } from "redis";
import { afterEach, describe, expect, test } from "vitest";
import { webhookHandler } from "../../src/fetch.ts";
import { standardWebhooks } from "../../src/index.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { inboxMigration, sqliteInbox } from "../../src/sqlite.ts";
import { hasRedisServer, type RedisGroup, startRedisCluster, startRedisSentinels } from "./own-redis.ts";

const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const ignore = (): undefined => undefined;

type Client = Parameters<typeof redisDeduplication>[0];

/** A Redis group that can fail over, and the client that connects to it. */
interface Setup {
  title: string;
  start(): Promise<RedisGroup>;
  /** Connects to the group. @returns the client, and a function that closes it */
  connect(ports: readonly number[]): Promise<{ client: Client; close(): unknown }>;
}

const hostsOn = (ports: readonly number[]) => ports.map((port) => ({ host: "127.0.0.1", port }));

const setups: Setup[] = [
  {
    title: "a cluster, with createCluster from npm redis",
    start: startRedisCluster,
    async connect(ports) {
      const client = createCluster({ rootNodes: hostsOn(ports).map((socket) => ({ socket })) });
      client.on("error", ignore);
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  },
  {
    title: "a cluster, with Cluster from ioredis",
    start: startRedisCluster,
    async connect(ports) {
      const client = new Cluster(hostsOn(ports));
      client.on("error", ignore);
      await client.ping();
      return { client, close: () => client.disconnect() };
    },
  },
  {
    title: "sentinels, with createSentinel from npm redis",
    start: startRedisSentinels,
    async connect(ports) {
      const client = createSentinel({ name: "main", sentinelRootNodes: hostsOn(ports) });
      client.on("error", ignore);
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  },
  {
    title: "sentinels, with ioredis",
    start: startRedisSentinels,
    async connect(ports) {
      const client = new Redis({ name: "main", sentinels: hostsOn(ports) });
      client.on("error", ignore);
      await client.ping();
      return { client, close: () => client.disconnect() };
    },
  },
];

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.runIf(hasRedisServer()).each(setups)("on $title", ({ start, connect }) => {
  test("a failover does not lose events, but without the inbox, events completed just before it may be handled twice", {
    timeout: 120_000,
  }, async () => {
    const group = await start();
    cleanUps.push(group.remove);
    const { client, close } = await connect(group.ports);
    cleanUps.push(close);

    const database = new DatabaseSync(":memory:");
    database.exec(`${inboxMigration()} CREATE TABLE contacts (worker_id text)`);
    const inbox = sqliteInbox(database);
    const runs = new Map<string, number>();
    const handle = webhookHandler({
      secret,
      scheme: standardWebhooks(),
      deduplication: redisDeduplication(client, { timeoutMs: 500 }),
      handlerTimeoutMs: 2_000,
      onRejected: ignore,
      onError: ignore,
      async onWorkerAddedContact({ workerId }, context) {
        runs.set(workerId, (runs.get(workerId) ?? 0) + 1);
        await inbox.once(context, async (tx) => tx.prepare("INSERT INTO contacts VALUES (?)").run(workerId));
      },
    });
    const statuses = new Map<number, number>();
    /** Sends the event until the response is 200, like the service. */
    const deliver = async (id: string): Promise<void> => {
      for (;;) {
        const headers = standardWebhooks().sign({ secret, now: new Date(), body: Buffer.alloc(0), id: `msg_${id}` });
        const { status } = await handle(new Request(`http://receiver.example/contact/new/${id}`, { headers }));
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (status === 200) return;
        await pause(50);
      }
    };
    const createIds = (name: string) => Array.from({ length: 100 }, (_, index) => `${name}_${index}`);
    const countRepeated = (ids: readonly string[]) => ids.filter((id) => (runs.get(id) ?? 0) > 1).length;
    const before = createIds("before");
    const unreplicated = createIds("unreplicated");
    const during = createIds("during");

    await Promise.all(before.map(deliver));
    await pause(200);
    // Pauses the replica and closes its connection, so that it does not receive the next writes.
    group.replica.signal("SIGSTOP");
    await group.primary.runCli("client", "kill", "type", "replica");
    await Promise.all(unreplicated.map(deliver));
    await group.primary.kill();
    group.replica.signal("SIGCONT");
    const killedAt = performance.now();
    await Promise.all(during.map(deliver));
    const seconds = (performance.now() - killedAt) / 1_000;
    // Sends every event again, as the service does if an acknowledgement is lost.
    const sentIds = [...before, ...unreplicated, ...during];
    await Promise.all(sentIds.map(deliver));

    const counts = {
      before: countRepeated(before),
      unreplicated: countRepeated(unreplicated),
      during: countRepeated(during),
    };
    console.log(`all ${sentIds.length} events handled in ${seconds.toFixed(1)} s; handled twice:`, counts, statuses);
    expect(sentIds.filter((id) => !runs.has(id))).toEqual([]);
    expect(counts.before).toBe(0);
    expect(counts.unreplicated).toBeGreaterThan(0);
    const rows = database.prepare("SELECT count(*) AS n, count(DISTINCT worker_id) AS workers FROM contacts").get();
    expect(rows).toEqual({ n: sentIds.length, workers: sentIds.length });
  });
});
