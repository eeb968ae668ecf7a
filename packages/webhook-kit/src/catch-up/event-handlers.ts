import { randomUUID } from "node:crypto";
import type { WebhookEvent, WorkerAddedContact, WorkerOfferResponse } from "../endpoints/events.ts";
import { type EventContext, toWebhookEvent } from "../endpoints/handlers.ts";
import { ConfigurationError } from "../errors/errors.ts";

/** The handlers of your receiver that work without a request. `onEvent` receives every event without a specific handler. */
export interface EventHandlers {
  /** Called for a worker's response. */
  readonly onWorkerOfferResponse?: ((event: WorkerOfferResponse, context: EventContext) => unknown) | undefined;
  /** Called for a contact that a worker added. */
  readonly onWorkerAddedContact?: ((event: WorkerAddedContact, context: EventContext) => unknown) | undefined;
  /** Called for every event without a specific handler in these options. */
  readonly onEvent?: ((event: WebhookEvent, context: EventContext) => unknown) | undefined;
}

type HandledEvent = Pick<WebhookEvent, "type" | "data">;

/** Finds the handler for an event type. @returns undefined if there is neither a specific handler nor `onEvent` */
export function findHandler(
  handlers: EventHandlers,
  type: string,
): ((event: HandledEvent, context: EventContext) => unknown) | undefined {
  const { onWorkerOfferResponse, onWorkerAddedContact, onEvent } = handlers;
  if (type === "WorkerOfferResponse" && onWorkerOfferResponse)
    return ({ data }, context) => onWorkerOfferResponse(data as WorkerOfferResponse, context);
  if (type === "WorkerAddedContact" && onWorkerAddedContact)
    return ({ data }, context) => onWorkerAddedContact(data as WorkerAddedContact, context);
  if (!onEvent) return undefined;
  return ({ data }, context) => onEvent(toWebhookEvent(type, data, context), context);
}

/** Requires at least one of the named handlers. @throws {ConfigurationError} `invalid_option` */
export function requireHandler(owner: string, handlers: EventHandlers, names: readonly (keyof EventHandlers)[]): void {
  if (!names.some((name) => typeof handlers[name] === "function"))
    throw new ConfigurationError(
      "invalid_option",
      `${owner} needs one of your receiver's handlers: ${names.join(" or ")}.`,
    );
}

/** Requires options to be functions, unless they are absent. @throws {ConfigurationError} `invalid_option` */
export function requireFunctions(owner: string, options: object, names: readonly string[]): void {
  for (const name of names)
    requireOption(owner, name, ["undefined", "function"].includes(typeof Reflect.get(options, name)), "a function");
}

/** @throws {ConfigurationError} `invalid_option` unless `isValid` */
export function requireOption(owner: string, name: string, isValid: boolean, expected: string): void {
  if (!isValid) throw new ConfigurationError("invalid_option", `${owner}: ${name} must be ${expected}.`);
}

/** Creates the context for an event that did not arrive as a request. An event without a signed id gets a random key. */
export const createEventContext = (
  source: "reconciled" | "feed",
  signal: AbortSignal | undefined,
  { deduplicationKey = randomUUID(), receivedAt = new Date() }: Partial<EventContext> = {},
): EventContext => ({
  source,
  unverifiedDeliveryId: undefined,
  deduplicationKey,
  signal: signal ?? new AbortController().signal,
  receivedAt,
});
