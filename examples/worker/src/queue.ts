import type { WebhookEvent } from "@offers/webhook-kit";

export interface Message {
  /** The JSON value that was passed to `send`. */
  readonly event: unknown;
  /** Whether the queue has already delivered this message to a worker that crashed or failed to handle it. */
  readonly isRedelivered: boolean;
}

/** A queue that delivers each event at least once, in no particular order. */
export interface Queue {
  /** Resolves once the event is stored. Until then, a crash may lose it. */
  send(event: WebhookEvent): Promise<void>;
  /**
   * Passes each event to `handle`, several concurrently. An event is removed once `handle` resolves. If `handle` rejects, the event is
   * delivered again after a growing delay. After `maxDeliveries`, it is moved to `deadLetters`, as is an event that this version does not
   * recognise.
   */
  work(handle: (message: Message) => Promise<void>): Promise<void>;
}

export const queueName = "webhooks";
export const deadLetters = "webhooks.dead";
export const maxDeliveries = 20;
/** How many events one worker handles concurrently. */
export const concurrency = 4;
