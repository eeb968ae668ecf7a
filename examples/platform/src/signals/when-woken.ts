import { pause } from "./pause.ts";

const pauseAfterErrorMs = 1_000;

export interface Woken {
  wake(): void;
  /** Resolves when the work under way has ended. */
  stop(): Promise<void>;
}

/** Does `work` after each wake-up, never twice at a time; one that comes during it has it done once more. What throws is tried again. */
export function whenWoken(work: () => Promise<void>, onError: (error: unknown) => void): Woken {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isAsked = false;
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    while (isAsked && !signal.aborted) {
      isAsked = false;
      try {
        await work();
      } catch (error) {
        onError(error);
        isAsked = true;
        await pause(pauseAfterErrorMs, signal);
      }
    }
    running = undefined;
  };
  return {
    wake() {
      isAsked = true;
      if (!signal.aborted) running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
