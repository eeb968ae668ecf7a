import { setTimeout } from "node:timers/promises";
import type pg from "pg";
import { z } from "zod";
import { type Heard, type Signal, type Store, topics } from "./store.ts";

/** How often the listening connection is queried, to detect that a firewall has silently dropped it. */
const aliveMs = 15_000;
/** Limits NOTIFY to twenty per second, because each takes a lock that all NOTIFYs on the database server share. */
const notifyPauseMs = 50;

/** PostgreSQL rejects a payload of 8,000 bytes or more. https://www.postgresql.org/docs/current/sql-notify.html */
const maxPayloadBytes = 7_999;
/** The maximum number of workers that a signal names. If there are more, it names none. */
const maxNamedWorkers = 100;

export interface ListenOptions {
  channel: string;
  /** Called when the connection starts listening. Earlier payloads may have been missed. */
  onListening: () => void;
  onPayload: (payload: string) => void;
  onError: (error: unknown) => void;
}

export interface Listening {
  stop(): Promise<void>;
}

/** Receives payloads from other processes on a separate connection, and reconnects if it is lost. */
export function listenToOtherProcesses(newClient: () => pg.Client, options: ListenOptions): Listening {
  const { channel, onListening, onPayload, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Listens until the connection is lost or listening is stopped. @throws if it cannot connect */
  const listen = async (onConnected: () => void): Promise<void> => {
    const client = newClient();
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    client.once("end", end);
    signal.addEventListener("abort", end);
    // Report only the first error, which has the cause. The next one only says that the connection has ended.
    client.once("error", (error) => void (signal.aborted || onError(error)));
    client.on("error", () => undefined);
    client.on("notification", ({ payload = "" }) => onPayload(payload));
    // Do not report the error: the client's own `error` event has the cause.
    const alive = setInterval(() => void client.query("select 1").catch(() => undefined), aliveMs);
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      onConnected();
      if (!signal.aborted) await over;
    } finally {
      clearInterval(alive);
      signal.removeEventListener("abort", end);
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
      await listen(onConnected).catch((error: unknown) => void (signal.aborted || onError(error)));
      failures += 1;
      await pause(growingPauseMs(failures), signal);
    }
  };
  const ended = run();
  return {
    stop() {
      stopping.abort();
      return ended;
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
 * Sends signals to other processes: the first one immediately, and those from the next 50 ms together, without duplicates. Retries a
 * failed NOTIFY.
 */
export function notifyOtherProcesses(store: Store, { channel, processId, onError }: NotifyOptions): Notifier {
  let waiting = new Set<string>();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const send = async (): Promise<boolean> => {
    const sent = waiting;
    waiting = new Set();
    try {
      await store.execute("select pg_notify($1, $2)", [channel, encodePayload(processId, sent)]);
      return true;
    } catch (error) {
      onError(error);
      waiting = new Set([...sent, ...waiting]);
      return false;
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    while (waiting.size > 0) {
      failures = (await send()) ? 0 : failures + 1;
      if (failures > 0 && stopping.signal.aborted) break;
      await pause(failures === 0 ? notifyPauseMs : growingPauseMs(failures), stopping.signal);
    }
    running = undefined;
  };

  return {
    add(signals) {
      for (const signal of signals) waiting.add(encodeSignal(signal));
      if (waiting.size > 0 && !stopping.signal.aborted) running ??= run();
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
// The names are short because payloads are limited. `by` is the process id.
const payloadSchema = z.object({ by: z.string(), heard: z.array(z.union([signalSchema, z.literal("everything")])) });

const everything = JSON.stringify("everything" satisfies Heard);

/** Encodes a signal for a payload. Equal signals have equal encodings. */
export const encodeSignal = (signal: Signal): string => {
  const { topic, organisationId, workerIds = [] } = signal;
  return JSON.stringify({
    topic,
    organisationId,
    ...(workerIds.length <= maxNamedWorkers && { workerIds: signal.workerIds }),
  });
};

/**
 * Encodes the payload of one NOTIFY. If the signals do not fit, it contains `everything` instead.
 *
 * @param texts from `encodeSignal`
 */
export function encodePayload(processId: string, texts: Iterable<string>): string {
  const payload = (heard: string): string => `{"by":${JSON.stringify(processId)},"heard":[${heard}]}`;
  const whole = payload([...texts].join());
  return Buffer.byteLength(whole) <= maxPayloadBytes ? whole : payload(everything);
}

/** Decodes a payload. @returns its signals: none if this process sent it, `everything` if its format is unknown */
export function readPayload(payload: string, ownProcessId: string): readonly Heard[] {
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
const growingPauseMs = (failures: number): number => Math.min(125 * 2 ** failures, 30_000);
