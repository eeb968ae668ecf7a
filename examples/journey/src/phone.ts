import { EventSource } from "eventsource";
import { Caller } from "./caller.ts";
import { eventually } from "./eventually.ts";
import type { TrafficLog } from "./traffic-log.ts";

export interface PushNotification {
  id: number;
  offerId: string;
  reason: "offer" | "successful" | "unsuccessful" | "withdrawn";
  createdAt: string;
}

/** Simulates a worker's phone with the app: receives push notifications and responds to offers. */
export class Phone {
  readonly worker: string;
  readonly #traffic: TrafficLog;
  readonly #caller: Caller;
  readonly #address: string;
  readonly #received: PushNotification[] = [];
  #stream: EventSource | undefined;

  constructor(traffic: TrafficLog, worker: string, address: string) {
    this.worker = worker;
    this.#traffic = traffic;
    this.#address = address;
    this.#caller = new Caller(traffic, this.#name, "platform", address);
  }

  get #name(): string {
    return this.worker.replace("worker_", "");
  }

  /** @returns the response's status */
  async signIn(password: string): Promise<number> {
    const { status, body } = await this.#caller.call<{ token: string }>("POST", "/worker-app/session", {
      body: { workerId: this.worker, password },
    });
    if (status === 200 || status === 201) this.#caller.signIn(body.token);
    return status;
  }

  /** Opens the notification stream, which reconnects after a restart of the platform. */
  async listen(): Promise<void> {
    const stream = new EventSource(new URL("/worker-app/notifications/stream", this.#address), {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...this.#caller.headers } }),
    });
    stream.addEventListener("notification", ({ data }) => this.#receive(JSON.parse(data)));
    this.#stream = stream;
    await eventually("an open notification stream", () => stream.readyState === stream.OPEN || undefined);
  }

  #receive(notification: PushNotification): void {
    this.#received.push(notification);
    const { offerId, reason, createdAt } = notification;
    const push = { from: "platform", to: this.#name, method: "push", path: `${reason} ${offerId}`, status: "received" };
    this.#traffic.record(performance.now() - (Date.now() - Date.parse(createdAt)), push);
  }

  disconnect(): void {
    this.#stream?.close();
  }

  /** Returns how many notifications about the offer, with this reason, the phone has received. */
  notificationCount(reason: PushNotification["reason"], offerId: string): number {
    return this.#received.filter((notification) => notification.reason === reason && notification.offerId === offerId)
      .length;
  }

  awaitPush(reason: PushNotification["reason"], offerId: string): Promise<unknown> {
    const received = () => this.notificationCount(reason, offerId) > 0 || undefined;
    return eventually(`"${reason}" on ${this.worker}'s phone`, received);
  }

  /** Reads the app's notifications menu, which lists every notification. */
  async readMenu(): Promise<PushNotification[]> {
    const { body } = await this.#caller.call<{ notifications: PushNotification[] }>("GET", "/worker-app/notifications");
    return body.notifications;
  }

  /** Opens, closes or responds to an offer. @returns the response's status */
  async act(action: "open" | "apply" | "reject" | "close", offerId: string): Promise<number> {
    const { status } = await this.#caller.call("POST", `/worker-app/offers/${offerId}/${action}`);
    return status;
  }

  /** Shares the worker's availability with an organisation. @returns the response's status */
  async addContact(organisationId: string): Promise<number> {
    const { status } = await this.#caller.call("POST", "/worker-app/contacts", { body: { organisationId } });
    return status;
  }
}
