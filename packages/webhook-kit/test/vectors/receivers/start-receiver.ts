import { fork } from "node:child_process";
import { once } from "node:events";
import type { HandlerRecord, Receiver, Target } from "../../../../cli/src/probe/send.ts";
import type { Scheme } from "../../../../cli/src/signature/sign-request.ts";
import type { ReceiverNeeds } from "../../../../cli/src/vectors/vectors.ts";
import { type FromReceiver, type ToReceiver, writeMount } from "./receiver-setup.ts";

/** A receiver that can be set up for every case, and reports what it recorded. */
export interface StartedReceiver extends Receiver {
  targetFor(needs: ReceiverNeeds): Target;
  tally(targets: Target[]): Promise<HandlerRecord[]>;
  stop(): Promise<unknown>;
}

/** Starts a receiver in its own process, in the time zone `zone`. */
export async function startReceiver(adapter: string, zone: string, scheme: Scheme): Promise<StartedReceiver> {
  const child = fork(new URL("receiver-process.ts", import.meta.url), [adapter, scheme], {
    env: { ...process.env, TZ: zone, NODE_ENV: "production" },
    execArgv: ["--no-warnings"],
  });
  const ended = once(child, "exit");
  const crashed = ended.then(([code]) => {
    throw new Error(`The receiver ${adapter} in ${zone} exited with ${code}.`);
  });
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

  let number = 0;
  return {
    concurrency: 16,
    targetFor(needs): Target {
      number += 1;
      const mount = writeMount(number, needs);
      return {
        host: "127.0.0.1",
        port,
        base: `/${mount}`,
        ...(needs.handler === "held" && {
          waitUntilHeld: () => waitForMessage("held", (message) => message.mount === mount),
          release: () => void send({ ask: "release", mount }),
        }),
      };
    },
    async tally(targets) {
      const tally = waitForMessage("tally");
      send({ ask: "tally", mounts: targets.map(({ base }) => base.slice(1)) });
      const { noted, isPolluted } = await tally;
      if (isPolluted) throw new Error(`A case polluted Object.prototype in ${adapter} in ${zone}.`);
      return noted;
    },
    stop() {
      child.kill();
      return ended;
    },
  };
}
