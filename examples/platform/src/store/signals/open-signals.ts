import { randomUUID } from "node:crypto";
import type { Store } from "../store.ts";
import { listenToOthers } from "./listen-to-others.ts";
import { notifyOthers } from "./notify-others.ts";
import { heardIn } from "./payload.ts";
import type { Heard, Signal } from "./signal.ts";

export type SignalListener = (heard: Heard) => void;

/** Publish/subscribe in all processes over one store, by LISTEN/NOTIFY (D-82). */
export interface Signals {
  /**
   * Publishes what changed: call it after the commit, see `announce`. It never fails, and no caller waits for it. In this process it
   * is heard before this returns, in others soon after.
   */
  publish(signals: Signal | readonly Signal[]): void;
  /** Resolves when what other processes announce is heard from now on. */
  readonly ready: Promise<void>;
  /** @returns ends the subscription */
  subscribe(listener: SignalListener): () => void;
  /** Sends to the other processes what waits, and stops listening to them. */
  stop(): Promise<void>;
}

export interface SignalsOptions {
  /** Called with errors between the processes, and with what listeners throw. */
  onError: (error: unknown) => void;
}

const channel = "offers_signals";

/**
 * Opens the signals of a store. PGlite is one process's alone: there they stay in the process. On PostgreSQL they are
 * announced to the other processes with LISTEN/NOTIFY. That is by a statement of its own: a NOTIFY inside a transaction makes
 * all commits that have one wait for each other. Signals are hints, and a lost one is made good: a process that listens again receives
 * "everything".
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

  const by = randomUUID();
  let onReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    onReady = resolve;
  });
  const notifier = store.newClient && notifyOthers(store, { channel, by, onError });
  const listening =
    store.newClient &&
    listenToOthers(store.newClient, {
      channel,
      onListening() {
        onReady();
        dispatch("everything");
      },
      onPayload: (payload) => heardIn(payload, by).forEach(dispatch),
      onError,
    });
  if (listening === undefined) onReady();
  return {
    ready,
    publish(given) {
      const signals = "topic" in given ? [given] : given;
      signals.forEach(dispatch);
      notifier?.add(signals);
    },
    subscribe(listener) {
      // Who subscribes twice hears twice.
      const own: SignalListener = (heard) => listener(heard);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    async stop() {
      await Promise.all([notifier?.stop(), listening?.stop()]);
    },
  };
}
