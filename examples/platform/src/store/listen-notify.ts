import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { z } from "zod";
import { type ReceivedSignal, type Signal, type Store, topics } from "./store.ts";

/** How often the listening connection is queried, to detect when a firewall has silently dropped it. */
const keepAliveMs = 15_000;
/** The pause between two NOTIFY statements. Each statement waits for a lock that all databases on the server share. */
const notifyPauseMs = 50;

/** PostgreSQL rejects a payload of 8,000 bytes or more. https://www.postgresql.org/docs/current/sql-notify.html */
const maxPayloadBytes = 7_999;
/** The maximum number of workers that a signal lists. A signal for more workers lists none of them. */
const maxListedWorkers = 100;

export interface ListenOptions {
  channel: string;
  /** Called each time the connection starts listening. Earlier payloads may have been missed. */
  onListening: () => void;
  onPayload: (payload: string) => void;
  onError: (error: unknown) => void;
}

export interface Listener {
  stop(): Promise<void>;
}

/** Receives payloads from other processes over a separate connection. Reconnects if the connection is lost. */
export function listenToOtherProcesses(newClient: () => pg.Client, options: ListenOptions): Listener {
  const { channel, onListening, onPayload, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  const reportUnlessStopped = (error: unknown): void => {
    if (!signal.aborted) onError(error);
  };

  /** Listens until the connection is lost or listening is stopped. @throws if it cannot connect */
  const listen = async (onConnected: () => void): Promise<void> => {
    const client = newClient();
    let stopWaiting = (): void => undefined;
    const connectionEnded = new Promise<void>((resolve) => {
      stopWaiting = resolve;
    });
    client.once("end", stopWaiting);
    signal.addEventListener("abort", stopWaiting);
    // Report only the first error, which contains the cause. Later errors only report that the connection has ended.
    client.once("error", reportUnlessStopped);
    client.on("error", () => undefined);
    client.on("notification", ({ payload = "" }) => onPayload(payload));
    // Ignore the error, because the client's `error` event reports the cause.
    const keepAlive = setInterval(() => void client.query("select 1").catch(() => undefined), keepAliveMs);
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      onConnected();
      if (!signal.aborted) await connectionEnded;
    } finally {
      clearInterval(keepAlive);
      signal.removeEventListener("abort", stopWaiting);
      await client.end();
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    const onConnected = (): void => {
      failures = 0;
      onListening();
    };
    while (!signal.aborted) {
      await listen(onConnected).catch(reportUnlessStopped);
      failures += 1;
      await pause(backoffMs(failures), signal);
    }
  };
  const running = run();
  return {
    stop() {
      stopping.abort();
      return running;
    },
  };
}

export interface NotifyOptions {
  channel: string;
  /** Identifies this process in each payload, so that it can ignore its own payloads. */
  processId: string;
  onError: (error: unknown) => void;
}

export interface Notifier {
  add(signals: readonly Signal[]): void;
  /** Sends the waiting signals and stops. */
  stop(): Promise<void>;
}

/**
 * Sends signals to other processes. Sends the first signal immediately, and the signals from the next 50 ms together, without duplicates.
 * Retries a failed NOTIFY.
 */
export function notifyOtherProcesses(store: Store, { channel, processId, onError }: NotifyOptions): Notifier {
  let pending = new Set<string>();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const sendBatch = async (): Promise<boolean> => {
    const batch = pending;
    pending = new Set();
    try {
      await store.execute("select pg_notify($1, $2)", [channel, encodePayload(processId, batch)]);
      return true;
    } catch (error) {
      onError(error);
      pending = new Set([...batch, ...pending]);
      return false;
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (pending.size > 0) {
      failures = (await sendBatch()) ? 0 : failures + 1;
      if (failures > 0 && stopping.signal.aborted) break;
      await pause(failures === 0 ? notifyPauseMs : backoffMs(failures), stopping.signal);
    }
    running = undefined;
  };

  return {
    add(signals) {
      for (const signal of signals) pending.add(encodeSignal(signal));
      if (pending.size > 0 && !stopping.signal.aborted) running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

const signalSchema = z.object({
  topic: z.enum(topics),
  organisationId: z.string().optional(),
  workerIds: z.array(z.string()).optional(),
});
// The property names are short because the size of a payload is limited. `by` is the process id.
const payloadSchema = z.object({ by: z.string(), heard: z.array(z.union([signalSchema, z.literal("everything")])) });

const everything = JSON.stringify("everything" satisfies ReceivedSignal);

/** Encodes a signal for a payload. Equal signals have equal encodings. */
export const encodeSignal = (signal: Signal): string => {
  const { topic, organisationId, workerIds } = signal;
  const isListed = workerIds !== undefined && workerIds.length <= maxListedWorkers;
  return JSON.stringify({ topic, organisationId, ...(isListed && { workerIds }) });
};

/**
 * Encodes the payload of one NOTIFY. If the signals do not fit, it contains `everything` instead.
 *
 * @param encodedSignals signals that were encoded by `encodeSignal`
 */
export function encodePayload(processId: string, encodedSignals: Iterable<string>): string {
  const toPayload = (signals: string): string => `{"by":${JSON.stringify(processId)},"heard":[${signals}]}`;
  const payload = toPayload([...encodedSignals].join(","));
  return Buffer.byteLength(payload) <= maxPayloadBytes ? payload : toPayload(everything);
}

/** Decodes a payload. @returns its signals: none if this process sent it, `everything` if its format is unknown */
export function decodePayload(payload: string, ownProcessId: string): readonly ReceivedSignal[] {
  try {
    const { by, heard } = payloadSchema.parse(JSON.parse(payload));
    return by === ownProcessId ? [] : heard;
  } catch {
    return ["everything"];
  }
}

/** Resolves after `ms`, or earlier when `signal` is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** Returns a pause that doubles with each consecutive failure, from a quarter of a second to half a minute. */
const backoffMs = (failureCount: number): number => Math.min(125 * 2 ** failureCount, 30_000);
