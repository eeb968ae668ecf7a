import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "../events.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Samples } from "./samples.ts";

/**
 * A receiver under test. Every webhook is signed anew, as the service does, and answers what the receiver answered, whatever
 * its status; it rejects only when no answer came.
 *
 * @example
 * ```ts
 * import { type TestedReceiver, testReceiver } from "@offers/webhook-kit/testing";
 *
 * const receiver: TestedReceiver = await testReceiver("http://127.0.0.1:3001/webhooks", {
 *   secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
 * });
 * const { suggestions } = await receiver.contactSuggestions({ userEmailAddresses: ["hana@harbour-hotels.example"] });
 * console.log(suggestions?.map(({ name }) => name));
 * ```
 */
export interface TestedReceiver extends AsyncDisposable {
  /** `GET /test` */
  test(): Promise<WebhookResponse>;
  /** `GET /test/auth` */
  testAuth(): Promise<WebhookResponse>;
  /** `GET /contact/new/{workerId}` */
  workerAddedContact(event: WorkerAddedContact): Promise<WebhookResponse>;
  /** `POST /contact-suggestions`; `suggestions` only when the service would take the answer. */
  contactSuggestions(
    search: ContactSuggestionRequest,
  ): Promise<WebhookResponse & { suggestions?: ContactSuggestion[] }>;
  /** `POST /offer/response` */
  workerOfferResponse(event: WorkerOfferResponse): Promise<WebhookResponse>;
  /** `POST /offer/eventDeleted`, an extra of the live service (D-34) */
  offerEventDeleted(event: OfferEventDeleted): Promise<WebhookResponse>;
  /** `POST /events/timelineChanged`, an extra of the live service (D-34) */
  timelineChanged(event: TimelineChanged): Promise<WebhookResponse>;
  /** The last request once more, to the byte, as an attacker would send it, or a sender that missed the answer. */
  resend(): Promise<WebhookResponse>;
  /**
   * What the receiver does otherwise than the contract and a careful reading of it demand, in words, one sentence for each
   * rule; empty for a receiver that is right. Takes about a hundred requests, most of them forged. Your handlers run only
   * for `samples`, by the senders' names: those webhooks are sent and repeated, and must be handled.
   */
  checkContract(samples?: Partial<Samples>): Promise<string[]>;
  /** Stops what was started. */
  close(): Promise<void>;
}
