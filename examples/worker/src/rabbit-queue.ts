import { setTimeout as pause } from "node:timers/promises";
import { InvalidEventError } from "@offers/webhook-kit";
import { Connection, ConsumerStatus } from "rabbitmq-client";
import { concurrency, deadLetters, maxDeliveries, type Queue, queueName } from "./queue.ts";

/** The arguments of a quorum queue, which is replicated and counts deliveries. */
const quorumArguments = { "x-queue-type": "quorum" as const };
const deadLetterOptions = { queue: deadLetters, durable: true, arguments: quorumArguments };
const queueOptions = {
  queue: queueName,
  durable: true,
  arguments: {
    ...quorumArguments,
    "x-delivery-limit": maxDeliveries,
    "x-dead-letter-exchange": "",
    "x-dead-letter-routing-key": deadLetters,
    // A message leaves the queue only once the dead-letter queue has stored it.
    "x-dead-letter-strategy": "at-least-once",
    "x-overflow": "reject-publish" as const,
  },
};

/** How long to wait for a channel, in milliseconds. Must be shorter than the 15 s that the service waits for a response. */
const acquireTimeout = 5_000;

/** Opens a queue in RabbitMQ. The client reconnects automatically. */
export function openRabbitQueue(url: string): Queue {
  const rabbit = new Connection({ url, acquireTimeout, heartbeat: 10, retryHigh: 5_000 });
  rabbit.on("error", ({ message }) => console.error(message));
  // With confirms, `send` resolves once a majority of the queue's replicas have written the message to disk.
  const publisher = rabbit.createPublisher({ confirm: true, queues: [deadLetterOptions, queueOptions] });
  return {
    async send(event) {
      await publisher.send({ routingKey: queueName, durable: true }, event);
    },
    async work(handle) {
      await rabbit.queueDeclare(deadLetterOptions);
      const options = { queue: queueName, queueOptions, qos: { prefetchCount: concurrency }, concurrency };
      // The client acknowledges a message once this function resolves.
      const consumer = rabbit.createConsumer(options, async ({ body, redelivered, headers }) => {
        try {
          await handle({ event: body, isRedelivered: redelivered });
          return ConsumerStatus.ACK;
        } catch (error) {
          console.error(error instanceof Error ? error.message : error);
          if (error instanceof InvalidEventError) return ConsumerStatus.DROP;
          // Without this pause, a one-second database outage would use up all deliveries.
          await pause(Math.min(1_000 * 2 ** Number(headers?.["x-delivery-count"] ?? 0), 60_000));
          return ConsumerStatus.REQUEUE;
        }
      });
      consumer.on("error", ({ message }) => console.error(message));
    },
  };
}
