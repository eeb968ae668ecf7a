import type { EventType } from "../../../store/tables.ts";
import type { AttemptFailureCode } from "../../../webhooks/attempt-delivery.ts";
import type { ShownState } from "../../../webhooks/disabled-endpoint.ts";
import type { DeliveryRow } from "../../portal/deliveries/deliveries.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { LocalTimes } from "../layout/time.ts";

/** Describes the event in a sentence. */
export function eventLabel({ type, data, workerName, offerTitle }: DeliveryRow): string {
  const worker = workerName ?? data.workerId;
  switch (type) {
    case "workerAddedContact":
      return `${worker} added your organisation as a contact`;
    case "workerOfferResponse":
      return `${worker} ${responseVerbs[data.response ?? ""] ?? data.response} “${offerTitle ?? data.offerId}”`;
  }
}

/** Verbs that match the wording of the offer pages. Only the webhook says `accepted` when a worker applied. */
const responseVerbs: Readonly<Record<string, string>> = { accepted: "applied for", rejected: "rejected" };

export const eventNames: Readonly<Record<EventType, string>> = {
  workerOfferResponse: "Response to an offer",
  workerAddedContact: "Contact added",
};

/** Labels for the states, in the order in which a delivery passes through them. */
export const stateLabels: Readonly<Record<ShownState, string>> = {
  pending: "Pending",
  held: "Held",
  acknowledged: "Acknowledged",
  dead: "Failed",
  not_implemented: "Not implemented",
};

const tones = { pending: "none", held: "warn", acknowledged: "good", dead: "bad", not_implemented: "none" } as const;

export const deliveryStateBadge = ({ state, attempts }: DeliveryRow): Markup =>
  state === "pending" && attempts > 0 ? badge("Retrying", "warn") : badge(stateLabels[state], tones[state]);

/** Describes when a delivery will be attempted next, taking a pause of the endpoint into account. Returns a dash if it is not pending. */
export function describeNextAttempt(
  { time }: LocalTimes,
  { state, nextAttemptAt, pausedUntil }: DeliveryRow,
  now: Date,
): Markup | string {
  if (state !== "pending") return "–";
  if (pausedUntil !== null && pausedUntil > now) return html`after the pause, ${time(pausedUntil, "seconds")}`;
  if (nextAttemptAt === null) return "after the earlier response is delivered";
  return nextAttemptAt <= now ? "now" : time(nextAttemptAt, "seconds");
}

/** Labels for failures, keyed by the failure code of the attempt. */
export const failureLabels: Readonly<Record<AttemptFailureCode, string>> = {
  not_acknowledged: "only 200 acknowledges",
  not_implemented: "the endpoint does not implement this optional event",
  internal_error: "internal error",
  invalid_address: "the base URL is invalid",
  forbidden_address: "the base URL resolves to a forbidden network",
  name_not_found: "the host name was not found",
  connection_refused: "connection refused",
  connect_timeout: "connection timed out",
  connection_lost: "connection lost",
  tls_failed: "TLS failed",
  aborted: "aborted when the platform stopped",
  timeout: "the response timed out",
  request_too_large: "the request was too large",
  protocol_error: "the response was not valid HTTP",
};

/** Describes an attempt's outcome, such as `503; only 200 acknowledges`. */
export function attemptLabel({ status, error }: { status: number | null; error: string | null }): string {
  const response = status === null ? "no response" : `${status}`;
  if (error === null) return response;
  return `${response}; ${failureLabels[error as AttemptFailureCode] ?? error}`;
}
