import { randomUUID } from "node:crypto";
import { PgBoss } from "pg-boss";
import { Connection } from "rabbitmq-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { hasPostgresServer, OwnPostgres } from "../../../scripts/processes/own-postgres.ts";
import { runCommand } from "../../../scripts/processes/run-command.ts";
import { startProcess } from "../../../scripts/processes/start-process.ts";
import { hasRabbit, OwnRabbit } from "./own-rabbit.ts";

const source = `${import.meta.dirname}/../src`;

/** A queue to which the test sends events without an edge. */
interface TestQueue {
  settings: Record<string, string>;
  send(event: object): Promise<unknown>;
  /** Removes a message from the dead-letter queue. @returns its body; undefined if the queue is empty */
  takeDeadLetter(): Promise<unknown>;
}

async function startRabbitQueue(): Promise<TestQueue> {
  const broker = await OwnRabbit.create();
  onTestFinished(() => broker.remove());
  const rabbit = new Connection(broker.url);
  onTestFinished(() => rabbit.close());
  return {
    settings: { QUEUE_URL: broker.url },
    async send(event) {
      const publisher = rabbit.createPublisher({ confirm: true });
      await publisher.send("webhooks", event);
      await publisher.close();
    },
    takeDeadLetter: async () => (await rabbit.basicGet("webhooks.dead"))?.body,
  };
}

async function openPostgresQueue({ url }: OwnPostgres): Promise<TestQueue> {
  const boss = await new PgBoss(url).start();
  boss.on("error", () => undefined);
  onTestFinished(() => boss.stop({ graceful: false }));
  return {
    settings: {},
    send: (event) => boss.send("webhooks", event),
    takeDeadLetter: async () => (await boss.fetch("webhooks.dead"))[0]?.data,
  };
}

const queues = [
  ...(hasPostgresServer ? [{ title: "PostgreSQL", openQueue: openPostgresQueue }] : []),
  ...(hasPostgresServer && hasRabbit ? [{ title: "RabbitMQ", openQueue: startRabbitQueue }] : []),
];

describe.each(queues)("with a queue in $title", { timeout: 120_000 }, ({ openQueue }) => {
  test("the queue moves an event of an unknown type to the dead-letter queue, and redelivers an event after a failure", async () => {
    const database = await OwnPostgres.create();
    onTestFinished(() => database.remove());
    const { settings, send, takeDeadLetter } = await openQueue(database);
    const env = { ...process.env, DATABASE_URL: database.url, ...settings };
    await runCommand(process.execPath, ["--no-warnings", "migrate.ts"], { cwd: source, env });
    // The handler fails while its table does not exist.
    await database.query("ALTER TABLE deleted_slots RENAME TO away");
    const worker = startProcess(process.execPath, ["--no-warnings", `${source}/worker.ts`], {
      env,
      ready: /(worker is waiting)/,
    });
    onTestFinished(() => void worker.stop("SIGKILL"));
    await worker.ready;

    await send({ type: "OfferEventMoved", data: {} });
    await expect.poll(takeDeadLetter, { timeout: 30_000 }).toEqual({ type: "OfferEventMoved", data: {} });

    const slot = { offerId: "offer_1", workerId: "worker_amal", eventStart: "2099-05-01T16:00:00Z" };
    const metadata = { receivedAt: new Date().toISOString(), deduplicationKey: randomUUID() };
    await send({ type: "OfferEventDeleted", data: slot, ...metadata });
    await expect
      .poll(() => worker.lines.some((line) => line.includes("deleted_slots")), { timeout: 30_000 })
      .toBe(true);
    await database.query("ALTER TABLE away RENAME TO deleted_slots");
    await expect
      .poll(() => database.query("SELECT offer_id FROM deleted_slots"), { timeout: 60_000 })
      .toEqual([{ offer_id: "offer_1" }]);
    expect(await takeDeadLetter()).toBeUndefined();
  });
});
