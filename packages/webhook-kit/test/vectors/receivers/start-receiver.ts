import { fork } from "node:child_process";
import { once } from "node:events";
import type { HandlerRecord, Receiver, Target } from "../../../../cli/src/probe/send.ts";
import type { Scheme } from "../../../../cli/src/signature/sign-request.ts";
import type { ReceiverNeeds } from "../../../../cli/src/vectors/vectors.ts";
import { encodeMount, type FromReceiver, type ToReceiver } from "./receiver-setup.ts";

/** A receiver process. It runs a separate receiver for each case, and reports the events that each one handled. */
export interface StartedReceiver extends Receiver {
  targetFor(needs: ReceiverNeeds): Target;
  tally(targets: Target[]): Promise<HandlerRecord[]>;
  stop(): Promise<unknown>;
}

/** Starts a receiver process in the time zone `zone`. */
export async function startReceiver(adapter: string, zone: string, scheme: Scheme): Promise<StartedReceiver> {
  const child = fork(new URL("receiver-process.ts", import.meta.url), [adapter, scheme], {
    env: { ...process.env, TZ: zone, NODE_ENV: "production" },
    execArgv: ["--no-warnings"],
  });
  const exited = once(child, "exit");
  const crashed = exited.then(([code]) => {
    throw new Error(`The receiver ${adapter} in ${zone} exited with ${code}.`);
  });
  // After `stop`, nothing waits for `crashed`, so its rejection must not count as unhandled.
  crashed.catch(() => undefined);
  const waitForMessage = <Type extends FromReceiver["type"]>(
    type: Type,
    matches = (_: Extract<FromReceiver, { type: Type }>) => true,
  ) =>
    Promise.race([
      crashed,
      new Promise<Extract<FromReceiver, { type: Type }>>((resolve) => {
        const listen = (message: FromReceiver) => {
          if (message.type !== type || !matches(message as Extract<FromReceiver, { type: Type }>)) return;
          child.off("message", listen);
          resolve(message as Extract<FromReceiver, { type: Type }>);
        };
        child.on("message", listen);
      }),
    ]);
  const send = (message: ToReceiver): boolean => child.send(message);
  const { port } = await waitForMessage("listening");

  let caseNumber = 0;
  return {
    concurrency: 16,
    targetFor(needs): Target {
      caseNumber += 1;
      const mount = encodeMount(caseNumber, needs);
      return {
        host: "127.0.0.1",
        port,
        base: `/${mount}`,
        ...(needs.handler === "held" && {
          waitUntilHeld: () => waitForMessage("held", (message) => message.mount === mount),
          release: () => void send({ type: "release", mount }),
        }),
      };
    },
    async tally(targets) {
      const tally = waitForMessage("tally");
      // A base is a slash and the mount.
      send({ type: "tally", mounts: targets.map(({ base }) => base.slice(1)) });
      const { records, isPolluted } = await tally;
      if (isPolluted) throw new Error(`A case polluted Object.prototype in ${adapter} in ${zone}.`);
      return records;
    },
    stop() {
      child.kill();
      return exited;
    },
  };
}
