import type { Device, Notification, PushTransport } from "../../src/push/push-transport.ts";
import { PushOrder } from "./push-order.ts";

/** How the push service responds to a push. */
export type PushResponse = "accepts" | "rejects" | "resets" | "hangs, then rejects" | "hangs, then accepts";

/** An in-memory push service. A hanging push stays pending until the test settles it. */
export class PushService implements PushTransport {
  readonly order = new PushOrder();
  /** How many pushes have started. */
  startedCount = 0;
  /** Decides the response to an offer's pushes. */
  decideResponse: (offerId: string) => PushResponse = () => "accepts";
  readonly #hanging = new Set<(error?: Error) => void>();
  readonly #accepted = new Map<string, number>();

  get hangingCount(): number {
    return this.#hanging.size;
  }

  async send(device: Device, notification: Notification): Promise<undefined> {
    this.startedCount += 1;
    const end = this.order.recordStart(device, notification);
    try {
      await this.#respond(this.decideResponse(notification.offerId));
      this.#accepted.set(`${notification.offerId} ${device.id}`, notification.id);
    } finally {
      end();
    }
  }

  /** Returns the id of the last accepted notification about the offer for the device. */
  getLastAcceptedId(offerId: string, deviceId: string): number | undefined {
    return this.#accepted.get(`${offerId} ${deviceId}`);
  }

  /** Ends all hanging pushes. @param error rejects all pushes with this error @default ends each push with its own response */
  endHanging(error?: Error): void {
    for (const end of [...this.#hanging]) end(error);
  }

  #respond(response: PushResponse): Promise<void> {
    if (response === "accepts") return Promise.resolve();
    if (response === "rejects") return Promise.reject(new Error("UNAVAILABLE"));
    if (response === "resets") return Promise.reject(new Error("ECONNRESET"));
    return new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void => {
        this.#hanging.delete(end);
        if (error !== undefined || response === "hangs, then rejects") reject(error ?? new Error("TimeoutError"));
        else resolve();
      };
      this.#hanging.add(end);
    });
  }
}
