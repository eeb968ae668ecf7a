import { InvalidEventError } from "@offers/webhook-kit";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import { concurrency, deadLetters, maxDeliveries, type Queue, queueName } from "./queue.ts";

const { DATABASE_URL, LEASE_SECONDS = "30" } = process.env;

/** Opens a queue in PostgreSQL. If a worker crashes, another worker receives its message after `LEASE_SECONDS`. */
export async function openPostgresQueue(): Promise<Queue> {
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the URL of a PostgreSQL database.");
  const boss = new PgBoss({
    connectionString: DATABASE_URL,
    application_name: "offers-worker queue",
    max: concurrency,
    useListenNotify: true,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
  });
  boss.on("error", ({ message }) => console.error(message));
  await boss.start();
  await boss.createQueue(deadLetters);
  await boss.createQueue(queueName, {
    notify: true,
    deadLetter: deadLetters,
    // The first delivery is not a retry.
    retryLimit: maxDeliveries - 1,
    retryBackoff: true,
    retryDelayMax: 60,
    expireInSeconds: Number(LEASE_SECONDS),
  });
  return {
    async send(event) {
      await boss.send(queueName, event);
    },
    async work(handle) {
      const handleJob = async ({ id, data, retryCount }: JobWithMetadata): Promise<JobResult> => {
        try {
          await handle({ event: data, isRedelivered: retryCount > 0 });
          return { id, status: "completed" };
        } catch (error) {
          console.error(error instanceof Error ? error.message : error);
          return { id, status: error instanceof InvalidEventError ? "deadletter" : "failed" };
        }
      };
      const options = {
        batchSize: concurrency,
        burstWhenBatchFull: true,
        includeMetadata: true,
        perJobResults: true,
        pollingIntervalSeconds: 1,
        // Poll too, because a notification may be lost with its connection.
        notifyPollingIntervalSeconds: 1,
      } as const;
      // pg-boss completes the jobs once this function resolves.
      await boss.work(queueName, options, (jobs: JobWithMetadata[]) => Promise.all(jobs.map(handleJob)));
    },
  };
}
