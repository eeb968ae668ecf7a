import type { Selectable } from "kysely";
import type { EventTable } from "../store/tables.ts";

export interface WebhookCall {
  method: "GET" | "POST";
  /** A template: the only form of the path that logs may show. */
  path: string;
  parameters: Record<string, string>;
  body?: Record<string, string>;
}

/** How an event is told to an integrator: the paths and payloads of the contract. */
export function webhookCall(type: Selectable<EventTable>["type"], data: Record<string, string>): WebhookCall {
  switch (type) {
    case "workerOfferResponse":
      return { method: "POST", path: "/offer/response", parameters: {}, body: data };
    case "workerAddedContact":
      return { method: "GET", path: "/contact/new/{workerId}", parameters: data };
  }
}
