import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "../endpoints/events.ts";
import type { WebhookResponse } from "../http/response.ts";

/** What the service sends to each handler, by the name of the sender. @inline */
export interface Samples {
  workerAddedContact: WorkerAddedContact;
  contactSuggestions: ContactSuggestionRequest;
  workerOfferResponse: WorkerOfferResponse;
  offerEventDeleted: OfferEventDeleted;
  timelineChanged: TimelineChanged;
}

/**
 * A receiver under test. Each method signs a webhook as the service does, sends it, and returns the response, whatever its
 * status. It rejects only if there is no response.
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
  /** `POST /contact-suggestions`; `suggestions` only if the service would accept the list. */
  contactSuggestions(
    search: ContactSuggestionRequest,
  ): Promise<WebhookResponse & { suggestions?: ContactSuggestion[] }>;
  /** `POST /offer/response` */
  workerOfferResponse(event: WorkerOfferResponse): Promise<WebhookResponse>;
  /** `POST /offer/eventDeleted`, an additional event of the live service (D-34) */
  offerEventDeleted(event: OfferEventDeleted): Promise<WebhookResponse>;
  /** `POST /events/timelineChanged`, an additional event of the live service (D-34) */
  timelineChanged(event: TimelineChanged): Promise<WebhookResponse>;
  /** Sends the last request again, byte for byte, as an attacker would, or a sender that missed the response. */
  resend(): Promise<WebhookResponse>;
  /**
   * Checks the receiver against the contract and our decisions (D-61) with about a hundred requests, most of them forged. Your
   * handlers run only for `samples`, by the names of these methods: those webhooks are sent and resent, and must be handled.
   *
   * @returns the problems, one sentence for each broken rule; empty if there are none
   */
  checkContract(samples?: Partial<Samples>): Promise<string[]>;
  /** Stops the server that was started, if any. */
  close(): Promise<void>;
}
