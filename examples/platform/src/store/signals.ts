import { randomUUID } from "node:crypto";
import { listenToOtherProcesses, notifyOtherProcesses, readPayload } from "./listen-notify.ts";
import type { Heard, Signal, Store } from "./store.ts";

export type SignalListener = (heard: Heard) => void;

/** Publish/subscribe between all processes that share a store, based on LISTEN/NOTIFY (D-82). */
export interface Signals {
  /**
   * Publishes a committed change; the store does so for what its transactions announce. Never fails. Listeners in
   * this process are called before it returns; those in other processes soon after.
   */
  publish(signals: Signal | readonly Signal[]): void;
  /** Resolves when this process starts to receive signals from other processes. */
  readonly ready: Promise<void>;
  /** @returns a function that ends the subscription */
  subscribe(listener: SignalListener): () => void;
  /** Sends waiting signals to other processes, and stops listening to them. */
  stop(): Promise<void>;
}

export interface SignalsOptions {
  /** Called with errors from the connection to other processes, and with errors that listeners throw. */
  onError: (error: unknown) => void;
}

const channel = "offers_signals";

/**
 * Opens the signals of a store. With PGlite, which serves one process, signals stay in the process. With PostgreSQL they are sent
 * to the other processes by NOTIFY, in a separate statement: a NOTIFY inside a transaction makes all commits that contain one
 * wait for each other. A signal may be lost with a connection; a process that reconnects therefore receives `everything`.
 *
 * @see https://www.postgresql.org/docs/current/sql-notify.html
 */
export function openSignals(store: Store, { onError }: SignalsOptions): Signals {
  const listeners = new Set<SignalListener>();
  const dispatch = (heard: Heard): void => {
    for (const listener of listeners)
      try {
        listener(heard);
      } catch (error) {
        onError(error);
      }
  };

  const processId = randomUUID();
  let onReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const notifier = store.newClient && notifyOtherProcesses(store, { channel, processId, onError });
  const listening =
    store.newClient &&
    listenToOtherProcesses(store.newClient, {
      channel,
      onListening() {
        onReady();
        dispatch("everything");
      },
      onPayload: (payload) => readPayload(payload, processId).forEach(dispatch),
      onError,
    });
  if (listening === undefined) onReady();
  const publish = (given: Signal | readonly Signal[]): void => {
    const signals = "topic" in given ? [given] : given;
    signals.forEach(dispatch);
    notifier?.add(signals);
  };
  const endPublishing = store.onCommit(publish);
  return {
    ready,
    publish,
    subscribe(listener) {
      // Wrap the function, so that it can be subscribed twice.
      const own: SignalListener = (heard) => listener(heard);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async stop() {
      endPublishing();
      await Promise.all([notifier?.stop(), listening?.stop()]);
    },
  };
}
