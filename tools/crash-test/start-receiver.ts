import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { FromReceiver, ToReceiver } from "./receiver-messages.ts";
import type { Receipt } from "./verify-history.ts";

export interface ReceiverProcess {
  address: string;
  receipts: Receipt[];
  /** How many valid requests it has refused, by the reason; all of them were the platform's own. */
  refused: Map<string, number>;
  /** The most requests of one organisation that were under way at once, but for those of senders that were disowned. */
  readonly atOnce: number;
  /** No longer counts what is under way, nor what comes in now: a sender was killed, stands still or goes on. */
  disown(): void;
  /** Ends all faults, and the connections that it keeps waiting. */
  behave(): void;
  stop(): Promise<void>;
}

/** Starts the organisations' system as a process of its own. */
export async function startReceiver(
  tenants: { id: string; secret: string }[],
  faults: boolean,
): Promise<ReceiverProcess> {
  const child = fork(join(import.meta.dirname, "receiver-process.ts"));
  const send = (message: ToReceiver): void => void child.send(message);
  const exited = once(child, "exit");
  const receipts: Receipt[] = [];
  const refused = new Map<string, number>();
  let atOnce = 0;
  const listening = new Promise<string>((resolve, reject) => {
    child.on("message", (message: FromReceiver) => {
      if (message.type === "listening") resolve(message.address);
      if (message.type === "took") receipts.push(message.receipt);
      if (message.type === "peak") atOnce = message.atOnce;
      if (message.type === "refused") refused.set(message.reason, (refused.get(message.reason) ?? 0) + 1);
    });
    child.once("exit", (code) => reject(new Error(`the receiver ended with ${code}`)));
  });
  send({ type: "open", tenants, faults });
  return {
    address: await listening,
    receipts,
    refused,
    get atOnce() {
      return atOnce;
    },
    disown: () => send({ type: "disown" }),
    behave: () => send({ type: "behave" }),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
