import type { Device, Notification } from "../../src/push/push-transport.ts";

type StartedPush = Pick<Notification, "id" | "offerId" | "reason">;

/** Checks the order of pushes: for each worker, device and offer, no push may start after or during a newer one. */
export class PushOrder {
  /** Describes each push that started after or during a newer one. */
  readonly violations: string[] = [];
  readonly #newest = new Map<string, StartedPush>();
  readonly #underWay = new Map<string, Set<StartedPush>>();

  /** Records that a push starts. @returns a function that records its end */
  recordStart(device: Pick<Device, "id" | "workerId">, push: StartedPush): () => void {
    const key = JSON.stringify([device.workerId, device.id, push.offerId]);
    const newest = this.#newest.get(key);
    const underWay = this.#underWay.get(key) ?? new Set();
    if (newest !== undefined && newest.id > push.id)
      this.violations.push(`${push.reason} ${push.id} started after ${newest.reason} ${newest.id}: ${key}`);
    for (const { id, reason } of underWay)
      this.violations.push(`${push.reason} ${push.id} started during ${reason} ${id}: ${key}`);
    if (newest === undefined || newest.id < push.id) this.#newest.set(key, push);
    this.#underWay.set(key, underWay.add(push));
    return () => void underWay.delete(push);
  }
}
