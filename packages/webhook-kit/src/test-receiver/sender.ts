import { randomUUID } from "node:crypto";
import { endpoints } from "../endpoints/endpoints.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import type { Samples } from "./tested-receiver.ts";
import type { HeaderList, OutgoingRequest, Transport } from "./transports.ts";

/** The endpoints that run a handler. */
export const handledEndpoints = {
  workerAddedContact: endpoints["/contact/new/{workerId}"],
  contactSuggestions: endpoints["/contact-suggestions"],
  workerOfferResponse: endpoints["/offer/response"],
  offerEventDeleted: endpoints["/offer/eventDeleted"],
  timelineChanged: endpoints["/events/timelineChanged"],
} as const satisfies Record<keyof Samples, unknown>;

export const handledNames = Object.keys(handledEndpoints) as (keyof Samples)[];

/** Valid payloads. An invalid signature is the only reason to reject them. */
export const samplePayloads: Samples = {
  workerAddedContact: { workerId: "worker_made_up" },
  contactSuggestions: { userEmailAddresses: ["made.up@example.com"] },
  workerOfferResponse: { offerId: "offer_made_up", workerId: "worker_made_up", response: "rejected" },
  offerEventDeleted: { offerId: "offer_made_up", workerId: "worker_made_up", eventStart: "2099-01-01T08:00:00Z" },
  timelineChanged: {
    workerId: "worker_made_up",
    periodStart: "2099-01-01T00:00:00Z",
    periodEnd: "2099-01-02T00:00:00Z",
    completedAt: "2099-01-01T00:00:00Z",
  },
};

/** A webhook, ready to be signed and sent. */
export interface Webhook {
  readonly method: string;
  /** The path below the base URL. */
  readonly path: string;
  readonly body?: Uint8Array;
}

/** Builds a request to an endpoint. @param content the payload for a POST, or the path parameter for a GET */
export function buildWebhook(
  { method, path }: { readonly method: string; readonly path: string },
  content: object = {},
): Webhook {
  if (method === "POST") return { method, path, body: Buffer.from(JSON.stringify(content)) };
  const values = new Map<string, unknown>(Object.entries(content));
  return { method, path: path.replace(/\{(\w+)\}/, (_, name) => encodeURIComponent(String(values.get(name)))) };
}

/** Sends webhooks to one receiver. */
export class Sender {
  readonly signer: Signer;
  readonly #transport: Transport;
  readonly #basePath: string;
  #lastRequest: OutgoingRequest | undefined;

  constructor(signer: Signer, transport: Transport, basePath: string) {
    this.signer = signer;
    this.#transport = transport;
    this.#basePath = basePath;
  }

  /** Sends a webhook, signed like the service's requests. */
  async sendSigned(webhook: Webhook): Promise<WebhookResponse> {
    return this.send(webhook, await this.signer.sign(webhook.body));
  }

  send({ method, path, body }: Webhook, headers: HeaderList): Promise<WebhookResponse> {
    const request = { method, path: `${this.#basePath}${path}`, headers };
    this.#lastRequest = body
      ? { ...request, body, headers: [["Content-Type", "application/json; charset=utf-8"], ...headers] }
      : request;
    return this.#transport.send(this.#lastRequest);
  }

  /** Sends the last request again, byte for byte. */
  async resend(): Promise<WebhookResponse> {
    if (!this.#lastRequest) throw new Error("No request has been sent yet, so there is nothing to resend.");
    return this.#transport.send(this.#lastRequest);
  }
}

/** Signs requests the way the service does. */
export class Signer {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly #now: () => Date;
  #lastTime = Number.NaN;

  constructor(options: { scheme: SignatureScheme; secret: string; now: () => Date }) {
    this.scheme = options.scheme;
    this.secret = options.secret;
    this.#now = options.now;
  }

  /**
   * Returns the current time, but never the same millisecond twice in a row, because a receiver may treat two events that were signed at
   * the same time as duplicates.
   */
  now(): Date {
    const time = this.#now().getTime();
    // A clock that is a second or more behind was set back, so follow it.
    const aheadMs = this.#lastTime - time;
    this.#lastTime = aheadMs >= 0 && aheadMs < 1_000 ? this.#lastTime + 1 : time;
    return new Date(this.#lastTime);
  }

  /** Creates the headers of a signed request. @param options.shiftMs how far to shift the signing time from now, in milliseconds */
  async sign(body?: Uint8Array, options: { secret?: string; shiftMs?: number } = {}): Promise<HeaderList> {
    const { secret = this.secret, shiftMs = 0 } = options;
    const now = new Date(this.now().getTime() + shiftMs);
    const id = `msg_${randomUUID()}`;
    return Object.entries(await this.scheme.sign({ secret, now, id, body: body ?? new Uint8Array() }));
  }
}
