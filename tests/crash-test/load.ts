import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Change, contactKey, responseKey } from "./history.ts";

const password = "a password of the crash test";
const organisationCount = 12;
const workerCount = 16;
/** How many organisations get contacts but create no offers, so that no later event hides a lost wake-up. */
const quietCount = 8;
/** How many of the newest offers workers respond to. */
const openOfferCount = 12;
/** How long an organisation waits before it creates its next offer. */
const createPauseMs = 3_000;
/** The share of a worker's actions that add a contact instead of responding to an offer. */
const contactShare = 0.1;
const requestTimeoutMs = 10_000;

export interface Organisation {
  id: string;
  apiKey: string;
  emailAddress: string;
  /** The secret of its endpoint. */
  secret: string;
}

export const organisations: readonly Organisation[] = Array.from({ length: organisationCount }, (_, index) => ({
  id: `org_${index}`,
  apiKey: `key-${randomUUID()}`,
  emailAddress: `person.${index}@crash-test.example`,
  secret: randomUUID(),
}));
const workerIds = Array.from({ length: workerCount }, (_, index) => `worker_${index}`);

export const seed = {
  organisations: organisations.map(({ id, apiKey }) => ({ id, name: id, kind: "hirer", apiKeys: [apiKey] })),
  people: organisations.map(({ id, emailAddress }) => ({
    id: `person_of_${id}`,
    organisationId: id,
    name: id,
    emailAddresses: [emailAddress],
    password,
  })),
  workers: workerIds.map((id) => ({ id, name: id, devices: ["ios"], password })),
};

interface PlatformRequest {
  method: "GET" | "POST" | "PUT";
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** Simulates organisations that create offers, and workers who respond and add contacts, even while platform processes are killed. */
export class Load {
  readonly changes: Change[] = [];
  /** Unexpected responses. */
  readonly faults: string[] = [];
  /** How many requests failed, by status and code. */
  readonly failures = new Map<string, number>();
  readonly #addresses: () => readonly string[];
  readonly #offerIds: string[] = [];
  /** The last response of each worker to each offer, by order key. */
  readonly #lastValues = new Map<string, string>();
  /** The order keys of contacts whose request got no response. */
  readonly #uncertainContacts = new Set<string>();
  readonly #activities: Promise<void>[] = [];
  #isStopping = false;

  /** @param addresses the URLs at which processes of the platform currently listen */
  constructor(addresses: () => readonly string[]) {
    this.#addresses = addresses;
  }

  /** Registers each organisation's endpoint and starts the load. @param rate changes per second */
  async start(receiverUrl: string, rate: number): Promise<void> {
    for (const { id, secret, emailAddress } of organisations) {
      const headers = await this.#signIn("/portal/session", { emailAddress });
      const json = { baseAddress: `${receiverUrl}/${id}`, secret, suggestsContacts: false };
      await this.#sendUntilDone({ method: "PUT", path: "/portal/profile", headers, json });
    }
    const busyOrganisations = organisations.slice(quietCount);
    this.#activities.push(...busyOrganisations.map((organisation) => this.#createOffers(organisation)));
    for (const workerId of workerIds) {
      const headers = await this.#signIn("/worker-app/session", { workerId });
      this.#activities.push(this.#actAsWorker(workerId, headers, (1_000 * workerCount) / rate));
    }
  }

  /** Stops the load. Resolves once everything in progress has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#activities);
  }

  /** Counts the pending deliveries of all organisations, at most 100 each. */
  async countPending(): Promise<number> {
    let count = 0;
    for (const { emailAddress } of organisations) {
      const headers = await this.#signIn("/portal/session", { emailAddress });
      const text = await this.#sendUntilDone({
        method: "GET",
        path: "/portal/deliveries?state=pending&limit=100",
        headers,
      });
      count += JSON.parse(text).deliveries.length;
    }
    return count;
  }

  /** Creates offers until `stop`. Workers respond only to the newest ones. */
  async #createOffers({ id, apiKey }: Organisation): Promise<void> {
    while (!this.#isStopping) {
      const json = { createdByUserId: `person_of_${id}`, title: `Shift ${randomUUID()}`, workerIds };
      const headers = { "X-UE-Api-Subscription-Key": apiKey, "Idempotency-Key": randomUUID() };
      const responseBody = await this.#sendUntilDone({ method: "POST", path: "/offer", headers, json });
      this.#offerIds.push(JSON.parse(responseBody).id);
      if (this.#offerIds.length > openOfferCount) this.#offerIds.shift();
      await pause(createPauseMs);
    }
  }

  /** Responds to random offers, and sometimes adds a contact, until `stop`. */
  async #actAsWorker(workerId: string, headers: Record<string, string>, pauseMs: number): Promise<void> {
    while (!this.#isStopping) {
      // The pause is random, and lasts `pauseMs` on average.
      await pause(2 * pauseMs * Math.random());
      const offerId = pickRandom(this.#offerIds);
      if (Math.random() < contactShare) await this.#addContact(workerId, headers);
      else if (offerId !== undefined) await this.#respond(workerId, headers, offerId);
    }
  }

  /** Sends the opposite of the worker's last response until it is acknowledged. Repeating a response does not create a second event. */
  async #respond(workerId: string, headers: Record<string, string>, offerId: string): Promise<void> {
    const key = responseKey(offerId, workerId);
    const [path, value] = this.#lastValues.get(key) === "accepted" ? ["reject", "rejected"] : ["apply", "accepted"];
    this.#lastValues.set(key, value);
    const change: Change = { key, value, isAcked: false, uncertainSends: 0 };
    this.changes.push(change);
    const request = { method: "POST", path: `/worker-app/offers/${offerId}/${path}`, headers } as const;
    await this.#sendUntilDone(request, () => {
      change.uncertainSends += 1;
    });
    change.isAcked = true;
  }

  /**
   * Adds a contact. Sends the request only once, because each request is an event (D-42). Does nothing if an earlier request for the same
   * contact got no response.
   */
  async #addContact(workerId: string, headers: Record<string, string>): Promise<void> {
    const organisationId = pickRandom(organisations)?.id ?? "";
    const key = contactKey(organisationId, workerId);
    if (this.#uncertainContacts.has(key)) return;
    const change: Change = { key, value: "added", isAcked: false, uncertainSends: 0 };
    this.changes.push(change);
    const response = await this.#send({
      method: "POST",
      path: "/worker-app/contacts",
      headers,
      json: { organisationId },
    });
    if (response === "unknown") {
      change.uncertainSends = 1;
      this.#uncertainContacts.add(key);
    } else change.isAcked = response !== "unsent" && response.status < 300;
  }

  async #signIn(path: string, credentials: object): Promise<{ authorization: string }> {
    const text = await this.#sendUntilDone({ method: "POST", path, json: { ...credentials, password } });
    return { authorization: `Bearer ${JSON.parse(text).token}` };
  }

  /** Repeats the request until the platform responds with 2xx. @returns the response body */
  async #sendUntilDone(request: PlatformRequest, onUncertain?: () => void): Promise<string> {
    for (;;) {
      const response = await this.#send(request);
      if (response === "unknown") onUncertain?.();
      if (typeof response === "object" && response.status < 300) return response.text;
      if (typeof response === "object" && this.faults.length < 20)
        this.faults.push(`${request.method} ${request.path} returned ${response.status} ${response.text}`);
      await pause(50);
    }
  }

  /** Sends the request once, to any process. @returns `unknown` if the change may have been made, `unsent` if it cannot have been */
  async #send({
    method,
    path,
    headers,
    json,
  }: PlatformRequest): Promise<{ status: number; text: string } | "unsent" | "unknown"> {
    const address = pickRandom(this.#addresses());
    if (address === undefined) return "unsent";
    try {
      const response = await fetch(address + path, {
        method,
        body: json === undefined ? null : JSON.stringify(json),
        signal: AbortSignal.timeout(requestTimeoutMs),
        headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
      });
      const text = await response.text();
      if (response.status >= 400) {
        const failure = `${response.status} ${JSON.parse(text).code}`;
        this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
      }
      // The platform may have committed before the error.
      return response.status >= 500 ? "unknown" : { status: response.status, text };
    } catch (error) {
      return findErrorCode(error) === "ECONNREFUSED" ? "unsent" : "unknown";
    }
  }
}

/** Finds the code of the innermost cause. */
function findErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.cause !== undefined) return findErrorCode(error.cause);
  return (error as NodeJS.ErrnoException).code;
}

const pickRandom = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];
