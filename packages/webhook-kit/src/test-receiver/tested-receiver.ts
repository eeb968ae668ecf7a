import type {
  ContactSuggestion,
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "../endpoints/events.ts";
import type { WebhookResponse } from "../http/response.ts";

/** The samples to send to the handlers, by the name of the method that sends each sample. @inline */
export interface Samples {
  /** For `onWorkerAddedContact`. */
  workerAddedContact: WorkerAddedContact;
  /** For `suggestContacts`. */
  contactSuggestions: ContactSuggestionRequest;
  /** For `onWorkerOfferResponse`. */
  workerOfferResponse: WorkerOfferResponse;
  /** For `onOfferEventDeleted`. */
  offerEventDeleted: OfferEventDeleted;
  /** For `onTimelineChanged`. */
  timelineChanged: TimelineChanged;
}

/**
 * A receiver under test. Each method signs a webhook the way the service does, sends it, and resolves with the response, whatever its
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
  /** Sends `GET /test`. */
  test(): Promise<WebhookResponse>;
  /** Sends `GET /test/auth`. */
  testAuth(): Promise<WebhookResponse>;
  /** Sends `GET /contact/new/{workerId}`. */
  workerAddedContact(event: WorkerAddedContact): Promise<WebhookResponse>;
  /** Sends `POST /contact-suggestions`. */
  contactSuggestions(search: ContactSuggestionRequest): Promise<
    WebhookResponse & {
      /** The contacts; undefined if the service would reject the list. */
      suggestions?: ContactSuggestion[];
    }
  >;
  /** Sends `POST /offer/response`. */
  workerOfferResponse(event: WorkerOfferResponse): Promise<WebhookResponse>;
  /** Sends `POST /offer/eventDeleted`, an additional event from the live service. */
  offerEventDeleted(event: OfferEventDeleted): Promise<WebhookResponse>;
  /** Sends `POST /events/timelineChanged`, an additional event from the live service. */
  timelineChanged(event: TimelineChanged): Promise<WebhookResponse>;
  /** Sends the last request again, byte for byte, like an attacker or a sender that missed the response. */
  resend(): Promise<WebhookResponse>;
  /**
   * Checks the receiver against the contract and the kit's rules with about a hundred requests, most of them forged. Your handlers run only
   * for `samples`, each of which must be handled. Each event sample is then sent again, and must not be handled twice.
   *
   * @returns the problems, one sentence per broken rule; empty if the receiver is correct
   */
  checkContract(samples?: Partial<Samples>): Promise<string[]>;
  /** Stops the server, if one was started. */
  close(): Promise<void>;
}
