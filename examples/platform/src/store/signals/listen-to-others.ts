import type pg from "pg";
import { growingPauseMs, pause } from "./pause.ts";

/** Often enough for a connection that a firewall forgot to be given up for its silence. */
const aliveMs = 15_000;

export interface ListenOptions {
  channel: string;
  /** Called when what comes is heard from now on. What came before may have been missed. */
  onListening: () => void;
  onPayload: (payload: string) => void;
  onError: (error: unknown) => void;
}

export interface Listening {
  stop(): Promise<void>;
}

/** Listens on a connection of its own, and on another one when that is lost. */
export function listenToOthers(newClient: () => pg.Client, options: ListenOptions): Listening {
  const { channel, onListening, onPayload, onError } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  /** Resolves when the connection is lost or no longer needed. @throws when there is none to be had */
  const listen = async (onBegun: () => void): Promise<void> => {
    const client = newClient();
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    client.once("end", end);
    signal.addEventListener("abort", end);
    // The first says why; that it is over comes as another one.
    client.once("error", (error) => void (signal.aborted || onError(error)));
    client.on("error", () => undefined);
    client.on("notification", ({ payload = "" }) => onPayload(payload));
    // The connection's own error says why a query got no result.
    const alive = setInterval(() => void client.query("select 1").catch(() => undefined), aliveMs);
    try {
      await client.connect();
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      onBegun();
      if (!signal.aborted) await over;
    } finally {
      clearInterval(alive);
      signal.removeEventListener("abort", end);
      await client.end();
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    const onBegun = (): void => {
      failures = 0;
      onListening();
    };
    while (!signal.aborted) {
      await listen(onBegun).catch((error: unknown) => void (signal.aborted || onError(error)));
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
