import { randomUUID } from "node:crypto";
import { decodePayload, listenToOtherProcesses, notifyOtherProcesses } from "./listen-notify.ts";
import type { ReceivedSignal, Signal, Store } from "./store.ts";

export type SignalListener = (signal: ReceivedSignal) => void;

/** Publish/subscribe between all processes that share a store, based on LISTEN/NOTIFY (D-82). */
export interface Signals {
  /**
   * Publishes signals for a committed change. The store itself publishes the signals that its transactions announce. Never throws.
   * Calls the listeners in this process before it returns; the listeners in other processes are called soon after.
   */
  publish(signals: Signal | readonly Signal[]): void;
  /** Resolves when this process starts to receive signals from other processes. */
  readonly ready: Promise<void>;
  /** Calls `listener` with each signal from any process. @returns a function that ends the subscription */
  subscribe(listener: SignalListener): () => void;
  /** Sends pending signals to other processes, and stops receiving signals from them. */
  stop(): Promise<void>;
}

export interface SignalsOptions {
  /** Called with errors from the connection to other processes, and with errors that listeners throw. */
  onError: (error: unknown) => void;
}

const channel = "offers_signals";

/**
 * Opens publish/subscribe for a store. With PGlite, which serves one process, signals stay in the process. With PostgreSQL, NOTIFY
 * sends them to the other processes. NOTIFY is a separate statement, because transactions that contain a NOTIFY would wait for each other
 * to commit. Signals may be lost with a connection, so a process that reconnects receives `everything`.
 *
 * @see https://www.postgresql.org/docs/current/sql-notify.html
 */
export function openSignals(store: Store, { onError }: SignalsOptions): Signals {
  const listeners = new Set<SignalListener>();
  const dispatch = (signal: ReceivedSignal): void => {
    for (const listener of listeners)
      try {
        listener(signal);
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
  const remoteListener =
    store.newClient &&
    listenToOtherProcesses(store.newClient, {
      channel,
      onListening() {
        onReady();
        dispatch("everything");
      },
      onPayload: (payload) => decodePayload(payload, processId).forEach(dispatch),
      onError,
    });
  if (remoteListener === undefined) onReady();
  const publish = (signalOrSignals: Signal | readonly Signal[]): void => {
    const signals = "topic" in signalOrSignals ? [signalOrSignals] : signalOrSignals;
    signals.forEach(dispatch);
    notifier?.add(signals);
  };
  const endPublishing = store.onCommit(publish);
  return {
    ready,
    publish,
    subscribe(listener) {
      // Wrap the function, so that the set can contain the same listener twice.
      const wrappedListener: SignalListener = (signal) => listener(signal);
      listeners.add(wrappedListener);
      return () => void listeners.delete(wrappedListener);
    },
    async stop() {
      endPublishing();
      await Promise.all([notifier?.stop(), remoteListener?.stop()]);
    },
  };
}
