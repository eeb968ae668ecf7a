import { openPostgresQueue } from "./postgres-queue.ts";
import type { Queue } from "./queue.ts";
import { openRabbitQueue } from "./rabbit-queue.ts";

/** Opens a queue in RabbitMQ at `QUEUE_URL` (amqp:// or amqps://) or, if that is not set, in the database at `DATABASE_URL`. */
export async function openQueue(): Promise<Queue> {
  const { QUEUE_URL } = process.env;
  if (!QUEUE_URL) return openPostgresQueue();
  if (!/^amqps?:/.test(QUEUE_URL)) throw new Error("QUEUE_URL must start with amqp:// or amqps://.");
  return openRabbitQueue(QUEUE_URL);
}
