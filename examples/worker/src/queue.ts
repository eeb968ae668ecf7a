import type { WebhookEvent } from "@offers/webhook-kit";

export interface Message {
  /** The JSON value that was passed to `send`. */
  readonly event: unknown;
  /** Whether the queue has already delivered it to a worker, which crashed or failed. */
  readonly isRedelivered: boolean;
}

/** A queue that delivers each event at least once, in no particular order. */
export interface Queue {
  /** Resolves once the event is stored. Until then, a crash may lose it. */
  send(event: WebhookEvent): Promise<void>;
  /**
   * Passes each event to `handle`, several concurrently. The event is removed once `handle` resolves. If it rejects, the event is delivered
   * again after a growing delay; after `maxDeliveries`, or for an event that this version does not recognise, it goes to `deadLetters`.
   */
  work(handle: (message: Message) => Promise<void>): Promise<void>;
}

export const queueName = "webhooks";
export const deadLetters = "webhooks.dead";
export const maxDeliveries = 20;
/** How many events one worker handles concurrently. */
export const concurrency = 4;
