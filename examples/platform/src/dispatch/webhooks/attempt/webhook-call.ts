import type { Selectable } from "kysely";
import type { EventTable } from "../../../store/tables.ts";
import type { Webhook } from "../../outbound/webhook.ts";

/** The path is a template: its only form that logs may show. */
export type WebhookCall = Webhook & {
  parameters: Record<string, string>;
  body?: Record<string, string>;
};

/** The webhook of an event: the paths and payloads of the contract. */
export function webhookCall(type: Selectable<EventTable>["type"], data: Record<string, string>): WebhookCall {
  switch (type) {
    case "workerOfferResponse":
      return { method: "POST", path: "/offer/response", parameters: {}, body: data };
    case "workerAddedContact":
      return { method: "GET", path: "/contact/new/{workerId}", parameters: data };
  }
}
