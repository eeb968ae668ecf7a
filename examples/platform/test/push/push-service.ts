import type { Device, Notification, PushTransport } from "../../src/push/push-transport.ts";
import { PushOrder } from "./push-order.ts";

/** How the push service treats a push. */
export type Treatment = "takes" | "refuses" | "resets" | "hangs, then refuses" | "hangs, then takes";

/** A push service in memory. A hanging push lasts until the test ends it. */
export class PushService implements PushTransport {
  readonly order = new PushOrder();
  /** How many pushes have started. */
  count = 0;
  /** Decides how it treats an offer's pushes. */
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

  /** Returns the id of the last notification about the offer that it accepted for the device. */
  lastTaken(offerId: string, deviceId: string): number | undefined {
    return this.#taken.get(`${offerId} ${deviceId}`);
  }

  /** Ends all hanging pushes. @param error rejects them with this error */
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
