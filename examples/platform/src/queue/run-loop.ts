export interface Loop {
  /** Looks for work now instead of at the next tick: call it after a commit that made some. */
  wake(): void;
  /** Resolves when the running tick has ended. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** The pause after a tick that found nothing, in milliseconds. */
  idleMs: number;
  /** Told what a tick threw; the loop goes on after a second. */
  onError: (error: unknown) => void;
}

const pauseAfterErrorMs = 1_000;

/** Calls `tick` again and again, one after the other; at once after a tick that says there may be more. */
export function runLoop(tick: () => Promise<boolean>, { idleMs, onError }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  let endPause: (() => void) | undefined;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!stopping) {
      woken = false;
      try {
        const more = await tick();
        if (!more && !woken && !stopping) await pause(idleMs);
      } catch (error) {
        onError(error);
        if (!stopping) await pause(pauseAfterErrorMs);
      }
    }
  };
  const ended = run();

  const wake = (): void => {
    woken = true;
    endPause?.();
  };
  return {
    wake,
    stop() {
      stopping = true;
      wake();
      return ended;
    },
  };
}
