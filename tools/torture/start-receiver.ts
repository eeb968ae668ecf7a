import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Receipt } from "./judge.ts";
import type { FromReceiver, ToReceiver } from "./receiver-messages.ts";

export interface ReceiverProcess {
  address: string;
  receipts: Receipt[];
  /** How many valid requests it has refused, by the reason; all of them were the platform's own. */
  refused: Map<string, number>;
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
  const listening = new Promise<string>((resolve, reject) => {
    child.on("message", (message: FromReceiver) => {
      if (message.type === "listening") resolve(message.address);
      if (message.type === "took") receipts.push(message.receipt);
      if (message.type === "refused") refused.set(message.reason, (refused.get(message.reason) ?? 0) + 1);
    });
    child.once("exit", (code) => reject(new Error(`the receiver ended with ${code}`)));
  });
  send({ type: "open", tenants, faults });
  return {
    address: await listening,
    receipts,
    refused,
    behave: () => send({ type: "behave" }),
    async stop() {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
