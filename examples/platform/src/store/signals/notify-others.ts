import type { Store } from "../store.ts";
import { growingPauseMs, pause } from "./pause.ts";
import { payloadOf, signalText } from "./payload.ts";
import type { Signal } from "./signal.ts";

/** Twenty a second: each takes a lock that all NOTIFYs of the server share. */
const pauseMs = 50;

export interface NotifyOptions {
  channel: string;
  /** Who says it. */
  by: string;
  onError: (error: unknown) => void;
}

export interface Notifier {
  add(signals: readonly Signal[]): void;
  /** Sends what still waits. */
  stop(): Promise<void>;
}

/** Notifies other processes: the first signal at once, those that come soon after it together, each once. A failure is retried. */
export function notifyOthers(store: Store, { channel, by, onError }: NotifyOptions): Notifier {
  let waiting = new Set<string>();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  const send = async (): Promise<boolean> => {
    const sent = waiting;
    waiting = new Set();
    try {
      await store.execute("select pg_notify($1, $2)", [channel, payloadOf(by, sent)]);
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
      await pause(failures === 0 ? pauseMs : growingPauseMs(failures), stopping.signal);
    }
    running = undefined;
  };

  return {
    add(signals) {
      for (const signal of signals) waiting.add(signalText(signal));
      if (waiting.size > 0 && !stopping.signal.aborted) running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
