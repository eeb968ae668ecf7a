import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { webhookListener } from "@offers/webhook-kit/node";
import { contactKey, type Receipt, responseKey } from "./history.ts";

/** How many of a thousand requests get each fault. They are too few to disable an endpoint. */
const faultShares = {
  /** Responds with 500. */
  error: 25,
  /** Responds with 503 and `Retry-After: 1`. */
  busy: 5,
  /** Closes the connection before it reads the request. */
  hangUp: 15,
  /** Closes the connection after the handler has run, so that the sender does not get the result. */
  hangUpAfter: 15,
  /** Handles the request after up to 1.2 s. */
  slow: 20,
} as const;

type Fault = keyof typeof faultShares;

/** Picks a random fault. Usually returns undefined, which means no fault. */
function pickFault(): Fault | undefined {
  let remaining = Math.random() * 1_000;
  for (const fault of Object.keys(faultShares) as Fault[]) {
    remaining -= faultShares[fault];
    if (remaining < 0) return fault;
  }
  return undefined;
}

/**
 * The receivers of all organisations, each under a path with the organisation's id. They record every event that @offers/webhook-kit
 * accepts.
 */
export class Receiver {
  readonly receipts: Receipt[] = [];
  /** How many requests the kit rejected, by code. The platform sent all requests, so each rejection is a fault. */
  readonly rejected = new Map<string, number>();
  /** Set it to false to stop all faults. */
  isFaulty = true;
  /** The highest number of concurrent requests for one organisation. */
  maxInFlight = 0;
  readonly #faults = new WeakMap<IncomingMessage, Fault>();
  readonly #tenants: ReadonlyMap<string, { handle: RequestListener; inFlight: Set<ServerResponse> }>;

  constructor(organisations: readonly { id: string; secret: string }[]) {
    this.#tenants = new Map(
      organisations.map(({ id, secret }) => [id, { handle: this.#createListener(id, secret), inFlight: new Set() }]),
    );
  }

  #createListener(organisationId: string, secret: string): RequestListener {
    const countRejection = (code: string): void => void this.rejected.set(code, (this.rejected.get(code) ?? 0) + 1);
    return webhookListener({
      basePath: `/${organisationId}`,
      secret,
      // Duplicates must be visible.
      deduplication: false,
      onWorkerOfferResponse: ({ offerId, workerId, response }, { request, unverifiedDeliveryId }) =>
        this.#recordReceipt(responseKey(offerId, workerId), response, request, unverifiedDeliveryId),
      onWorkerAddedContact: ({ workerId }, { request, unverifiedDeliveryId }) =>
        this.#recordReceipt(contactKey(organisationId, workerId), "added", request, unverifiedDeliveryId),
      onRejected: ({ code, endpoint }) => {
        // A killed sender leaves an incomplete body. The third check of an endpoint has a wrong signature (D-41).
        const isExpected = code === "body_incomplete" || (code === "signature_mismatch" && endpoint === "TestAuth");
        if (!isExpected) countRejection(code);
      },
      onError: ({ code }) => countRejection(code),
    });
  }

  #recordReceipt(key: string, value: string, request: IncomingMessage, deliveryId = "without an id"): void {
    // A sender that was killed meanwhile gets no response.
    const isAcknowledged = this.#faults.get(request) !== "hangUpAfter" && !request.socket.destroyed;
    this.receipts.push({ ordinal: this.receipts.length, deliveryId, key, value, isAcknowledged });
    if (!isAcknowledged) request.socket.destroy();
  }

  readonly listener: RequestListener = async (request, response) => {
    const [, id = "", firstSegment] = request.url?.split("/") ?? [];
    const tenant = this.#tenants.get(id);
    if (tenant === undefined) return void response.writeHead(404).end();
    // A killed sender breaks the connection.
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    tenant.inFlight.add(response);
    response.once("close", () => tenant.inFlight.delete(response));
    this.maxInFlight = Math.max(this.maxInFlight, tenant.inFlight.size);
    const fault = this.isFaulty && firstSegment !== "test" ? pickFault() : undefined;
    if (fault !== undefined) this.#faults.set(request, fault);
    if (fault === "error") return void response.writeHead(500).end();
    if (fault === "busy") return void response.writeHead(503, { "retry-after": "1" }).end();
    if (fault === "hangUp") return void response.destroy();
    if (fault === "slow") await pause(200 + Math.random() * 1_000);
    tenant.handle(request, response);
  };
}
