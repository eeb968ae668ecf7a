import type { Device, Notification } from "../../src/push/push-transport.ts";

type StartedPush = Pick<Notification, "id" | "offerId" | "reason">;

/** Checks that pushes to the same device of the same worker about the same offer start in order, and only one at a time. */
export class PushOrder {
  /** Describes each push that started after a newer push, or during any other push. */
  readonly violations: string[] = [];
  readonly #newest = new Map<string, StartedPush>();
  readonly #inFlight = new Map<string, Set<StartedPush>>();

  /** Records that a push starts. @returns a function that records its end */
  recordStart(device: Pick<Device, "id" | "workerId">, push: StartedPush): () => void {
    const key = JSON.stringify([device.workerId, device.id, push.offerId]);
    const newest = this.#newest.get(key);
    const inFlight = this.#inFlight.get(key) ?? new Set();
    if (newest !== undefined && newest.id > push.id)
      this.violations.push(`${push.reason} ${push.id} started after ${newest.reason} ${newest.id}: ${key}`);
    for (const { id, reason } of inFlight)
      this.violations.push(`${push.reason} ${push.id} started during ${reason} ${id}: ${key}`);
    if (newest === undefined || newest.id < push.id) this.#newest.set(key, push);
    this.#inFlight.set(key, inFlight.add(push));
    return () => void inFlight.delete(push);
  }
}
