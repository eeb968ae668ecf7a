import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Accounts, Organisation } from "./accounts.ts";
import { bearer, type PlatformClient } from "./platform-client.ts";
import { type Change, contactKey, responseKey } from "./verify/verify-history.ts";

export interface LoadOptions {
  client: PlatformClient;
  accounts: Accounts;
  /** Of the workers, by id. */
  tokens: ReadonlyMap<string, string>;
  /** Changes a second, all workers together; fewer when the platform can't follow. */
  rate: number;
}

export interface Load {
  /** All changes so far. */
  changes: Change[];
  /**
   * Resolves when what is under way is acked, or at the latest when `signal` aborts.
   *
   * @returns how much was given up
   */
  stop(signal: AbortSignal): Promise<number>;
}

/** Offers that workers respond to at a time, and how often an organisation adds one. */
const openOffers = 12;
const createPauseMs = 3_000;
/** How likely a worker changes the last response again: responses in quick succession may overtake each other. */
const changesMind = 0.7;
/**
 * How often a worker responds several times in a row, and how many at most: then each is recorded while the one before it is
 * on its way or being settled.
 */
const burstShare = 0.2;
const longestBurst = 6;
/** The share of changes that are contacts, not responses; and of those the share at quiet organisations, that get nothing else. */
const contactShare = 0.1;
const quietShare = 0.5;

/** Organisations create offers, workers change their responses and add contacts, until it is stopped. */
export function startLoad({ client, accounts, tokens, rate }: LoadOptions): Load {
  const { organisations, workerIds } = accounts;
  const busy = organisations.filter(({ isQuiet }) => !isQuiet);
  const quiet = organisations.filter(({ isQuiet }) => isQuiet);
  const changes: Change[] = [];
  const offerIds: string[] = [];
  const lastWords = new Map<string, string>();
  /** Pairs of worker and organisation with an unknown number of contacts. */
  const doubtfulContacts = new Set<string>();
  const giveUp = new AbortController();
  const { signal } = giveUp;
  let givenUp = 0;
  let isStopping = false;

  const begin = (key: string, word: string): Change => {
    const change = { key, word, isAcked: false, doubts: 0 };
    changes.push(change);
    return change;
  };

  /** One offer, however often it takes: the key sees to that. */
  const create = async ({ apiKey, personId }: Organisation): Promise<void> => {
    const json = { createdByUserId: personId, title: `Shift ${randomUUID()}`, workerIds };
    const headers = { "X-UE-Api-Subscription-Key": apiKey, "Idempotency-Key": randomUUID() };
    const created = await client.retryUntilDone({ method: "POST", path: "/offer", headers, json }, { signal });
    if (created === undefined) {
      givenUp += 1;
      return;
    }
    offerIds.push(JSON.parse(created).id);
    if (offerIds.length > openOffers) offerIds.shift();
  };

  /** Retried until it is acked: the same response again changes nothing, so it is one event, delivered once. */
  const respond = async (workerId: string, token: string, offerId: string): Promise<void> => {
    const key = responseKey(offerId, workerId);
    const [path, word] = lastWords.get(key) === "accepted" ? ["reject", "rejected"] : ["apply", "accepted"];
    lastWords.set(key, word);
    const change = begin(key, word);
    const onUnknown = (): void => {
      change.doubts += 1;
    };
    const request = { method: "POST", path: `/worker-app/offers/${offerId}/${path}`, headers: bearer(token) } as const;
    change.isAcked = (await client.retryUntilDone(request, { signal, onUnknown })) !== undefined;
    if (!change.isAcked) givenUp += 1;
  };

  /** Sent once: each time is an event (D-42). */
  const addContact = async (workerId: string, token: string, organisationId: string): Promise<void> => {
    const key = contactKey(organisationId, workerId);
    if (doubtfulContacts.has(key)) return;
    const change = begin(key, "added");
    const outcome = await client.send({
      method: "POST",
      path: "/worker-app/contacts",
      headers: bearer(token),
      json: { organisationId },
    });
    if (outcome === "unknown") {
      change.doubts = 1;
      doubtfulContacts.add(key);
    } else change.isAcked = outcome !== "unsent" && outcome.status < 300;
  };

  const createOffers = async (organisation: Organisation): Promise<void> => {
    while (!isStopping) {
      await create(organisation);
      await sleep(createPauseMs);
    }
  };

  const actAs = async (workerId: string): Promise<void> => {
    const token = tokens.get(workerId) ?? "";
    const pauseMs = (1_000 * workerIds.length) / rate;
    let offerId: string | undefined;
    while (!isStopping) {
      const responses = Math.random() < burstShare ? 1 + Math.ceil((longestBurst - 1) * Math.random()) : 1;
      await sleep(2 * pauseMs * responses * Math.random());
      if (offerId === undefined || Math.random() > changesMind) offerId = anyOf(offerIds);
      const called = Math.random() < quietShare ? quiet : busy;
      if (Math.random() < contactShare) await addContact(workerId, token, anyOf(called)?.id ?? "");
      else if (offerId !== undefined)
        for (let given = 0; given < responses && !isStopping; given += 1) await respond(workerId, token, offerId);
    }
  };

  const running = [...busy.map(createOffers), ...workerIds.map(actAs)];
  return {
    changes,
    async stop(whenAborted) {
      isStopping = true;
      whenAborted.addEventListener("abort", () => giveUp.abort(), { once: true });
      if (whenAborted.aborted) giveUp.abort();
      await Promise.all(running);
      return givenUp;
    },
  };
}

const anyOf = <T>(items: readonly T[]): T | undefined => items[Math.floor(Math.random() * items.length)];
