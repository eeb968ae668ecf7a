import type { Device, Notification } from "../../src/push/push-transport.ts";

type Push = Pick<Notification, "id" | "offerId" | "reason">;

/** Watches the order in which pushes start: per worker, device and offer nothing older after, or beside, something newer. */
export class PushOrder {
  /** What was overtaken, or ran beside a newer one, in words. */
  readonly faults: string[] = [];
  readonly #newest = new Map<string, Push>();
  readonly #underWay = new Map<string, Set<Push>>();

  /** @returns to be called when the push has ended */
  start(device: Pick<Device, "id" | "workerId">, push: Push): () => void {
    const key = JSON.stringify([device.workerId, device.id, push.offerId]);
    const newest = this.#newest.get(key);
    const others = this.#underWay.get(key) ?? new Set();
    if (newest !== undefined && newest.id > push.id)
      this.faults.push(`${push.reason} ${push.id} started after ${newest.reason} ${newest.id}: ${key}`);
    for (const { id, reason } of others)
      this.faults.push(`${push.reason} ${push.id} started beside ${reason} ${id}: ${key}`);
    if (newest === undefined || newest.id < push.id) this.#newest.set(key, push);
    this.#underWay.set(key, others.add(push));
    return () => void others.delete(push);
  }
}
