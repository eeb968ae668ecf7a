import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { webhookListener } from "@offers/webhook-kit/node";
import { contactKey, type Receipt, responseKey } from "./verify/verify-history.ts";

/** The webhook receiver of one organisation. */
interface Tenant {
  listener: ReturnType<typeof webhookListener>;
  underWay: Set<ServerResponse>;
  requests: number;
  /** Until when it does not respond. */
  hangsUntil: number;
}

const disownMs = 1_000;
const hangMs = 5_000;
/** A tenant hangs from its 20th request on, and again after 600 more: others pile up meanwhile, up to the limit of its endpoint. */
const firstHang = 20;
const hangEvery = 600;

/** The organisations' receivers: they accept what @offers/webhook-kit finds valid, and inject faults until `behave`. */
export class Receiver {
  readonly receipts: Receipt[] = [];
  /** How many requests were refused, by reason: all of them were the platform's own. */
  readonly refused = new Map<string, number>();
  /** The most requests of one organisation that were under way at once, without those of disowned senders. */
  mostAtOnce = 0;

  readonly #arrivals = new WeakMap<IncomingMessage, { ordinal: number; fault: ReceiverFault | undefined }>();
  readonly #tenants: ReadonlyMap<string, Tenant>;
  readonly #silent = new Set<ServerResponse>();
  #faults: boolean;
  #ordinal = 0;
  #disownedUntil = 0;

  constructor(tenants: readonly { id: string; secret: string }[], faults: boolean) {
    this.#faults = faults;
    this.#tenants = new Map(
      tenants.map(({ id, secret }) => [
        id,
        { listener: this.#listenerFor(id, secret), underWay: new Set(), requests: 0, hangsUntil: 0 },
      ]),
    );
  }

  /**
   * Stops counting what is under way, and what arrives within a second: a sender was killed, is stopped or continues, so that
   * others may send the same.
   */
  disown(): void {
    for (const { underWay } of this.#tenants.values()) underWay.clear();
    this.#disownedUntil = performance.now() + disownMs;
  }

  /** Ends all faults, and the connections without a response. */
  behave(): void {
    this.#faults = false;
    for (const response of this.#silent) response.destroy();
  }

  #listenerFor(id: string, secret: string): Tenant["listener"] {
    const refuse = (reason: string): void => void this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
    return webhookListener({
      basePath: `/${id}`,
      secret,
      // Duplicates must be seen.
      deduplication: false,
      onWorkerOfferResponse: ({ offerId, workerId, response }, { request, unverifiedDeliveryId }) =>
        this.#accept(responseKey(offerId, workerId), response, request, unverifiedDeliveryId),
      onWorkerAddedContact: ({ workerId }, { request, unverifiedDeliveryId }) =>
        this.#accept(contactKey(id, workerId), "added", request, unverifiedDeliveryId),
      // A killed sender leaves an incomplete body.
      onRejected: ({ code }) => (code === "body_incomplete" ? undefined : refuse(code)),
      onError: ({ code }) => refuse(code),
    });
  }

  /** Called by the kit with a valid event. */
  #accept(key: string, word: string, request: IncomingMessage, deliveryId = "without an id"): void {
    const { ordinal = 0, fault } = this.#arrivals.get(request) ?? {};
    // A sender that has died meanwhile gets no response.
    const isAcknowledged = fault !== "hangUpAfter" && !request.socket.destroyed;
    this.receipts.push({ ordinal, deliveryId, key, word, isAcknowledged });
    if (!isAcknowledged) request.socket.destroy();
  }

  /** Serves all tenants, each below its id. */
  readonly listener: RequestListener = async (request, response) => {
    const [, id = "", first] = request.url?.split("/") ?? [];
    const tenant = this.#tenants.get(id);
    if (tenant === undefined) return void response.writeHead(404).end();
    // The two tests of a base address are never sent twice.
    const isEvent = first !== "test";
    const fault = this.#faults && isEvent ? faultFor(Math.random()) : undefined;
    this.#arrivals.set(request, { ordinal: ++this.#ordinal, fault });
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    if (isEvent) this.#countUnderWay(tenant, response);
    if (fault === "error") return void response.writeHead(500).end();
    if (fault === "busy") return void response.writeHead(503, { "retry-after": "1" }).end();
    if (fault === "hangUp") return void response.destroy();
    if (fault === "silence") return void this.#silent.add(response);
    if (fault === "slow") await sleep(200 + Math.random() * 1_000);
    if (this.#faults && isEvent) await hang(tenant);
    tenant.listener(request, response);
  };

  #countUnderWay({ underWay }: Tenant, response: ServerResponse): void {
    if (performance.now() < this.#disownedUntil) return;
    underWay.add(response);
    for (const end of ["finish", "close"]) response.once(end, () => underWay.delete(response));
    this.mostAtOnce = Math.max(this.mostAtOnce, underWay.size);
  }
}

async function hang(tenant: Tenant): Promise<void> {
  const now = performance.now();
  tenant.requests += 1;
  if (tenant.requests % hangEvery === firstHang) tenant.hangsUntil = now + hangMs;
  if (tenant.hangsUntil > now) await sleep(tenant.hangsUntil - now);
}

/**
 * The faults of the receiver, and the share of each in a thousand requests: too few to disable the endpoint. A request without a
 * response occupies one of its slots until the attempt times out.
 */
const shares = {
  /** Responds with 500. */
  error: 25,
  /** Responds with 503, with a `Retry-After` of a second. */
  busy: 5,
  /** The connection ends before the request is looked at. */
  hangUp: 15,
  /** The connection ends after it was taken: the sender can't know. */
  hangUpAfter: 15,
  /** Taken after a while. */
  slow: 20,
  /** Never responds. */
  silence: 1,
} as const;

export type ReceiverFault = keyof typeof shares;

/**
 * The fault of a request; undefined for none.
 *
 * @param random from 0 to below 1
 */
export function faultFor(random: number): ReceiverFault | undefined {
  let rest = random * 1_000;
  for (const [fault, share] of Object.entries(shares)) {
    rest -= share;
    if (rest < 0) return fault as ReceiverFault;
  }
  return undefined;
}
