import type { Device, Notification, PushTransport } from "../../src/push/push-transport.ts";
import { PushOrder } from "./push-order.ts";

/** How the push service treats a push. */
export type Treatment = "takes" | "refuses" | "resets" | "hangs, then refuses" | "hangs, then takes";

/** A push service in memory. A push that hangs continues until the test ends it. */
export class PushService implements PushTransport {
  readonly order = new PushOrder();
  /** How many pushes have started. */
  count = 0;
  /** How it treats the pushes of an offer. */
  treatmentOf: (offerId: string) => Treatment = () => "takes";
  readonly #hanging = new Set<(error?: Error) => void>();
  readonly #taken = new Map<string, number>();

  get hanging(): number {
    return this.#hanging.size;
  }

  async send(device: Device, notification: Notification): Promise<void> {
    this.count += 1;
    const end = this.order.start(device, notification);
    try {
      await this.#treat(this.treatmentOf(notification.offerId));
      this.#taken.set(`${notification.offerId} ${device.id}`, notification.id);
    } finally {
      end();
    }
  }

  /** @returns the id of the last notification that it accepted for the device about the offer */
  lastTaken(offerId: string, deviceId: string): number | undefined {
    return this.#taken.get(`${offerId} ${deviceId}`);
  }

  /** @param error rejects all pushes that hang */
  endHanging(error?: Error): void {
    for (const end of [...this.#hanging]) end(error);
  }

  #treat(treatment: Treatment): Promise<void> {
    if (treatment === "takes") return Promise.resolve();
    if (treatment === "refuses") return Promise.reject(new Error("UNAVAILABLE"));
    if (treatment === "resets") return Promise.reject(new Error("ECONNRESET"));
    return new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void => {
        this.#hanging.delete(end);
        if (error !== undefined || treatment === "hangs, then refuses") reject(error ?? new Error("TimeoutError"));
        else resolve();
      };
      this.#hanging.add(end);
    });
  }
}
