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
  readonly workerId: string;
  readonly #traffic: TrafficLog;
  readonly #caller: Caller;
  readonly #platformUrl: string;
  readonly #received: PushNotification[] = [];
  #stream: EventSource | undefined;

  constructor(traffic: TrafficLog, workerId: string, platformUrl: string) {
    this.workerId = workerId;
    this.#traffic = traffic;
    this.#platformUrl = platformUrl;
    this.#caller = new Caller(traffic, this.#name, "platform", platformUrl);
  }

  get #name(): string {
    return this.workerId.replace("worker_", "");
  }

  /** Signs the worker in, and uses the new session for later calls. @returns the response status */
  async signIn(password: string): Promise<number> {
    const { status, body } = await this.#caller.call<{ token: string }>("POST", "/worker-app/session", {
      body: { workerId: this.workerId, password },
    });
    if (status === 200 || status === 201) this.#caller.setToken(body.token);
    return status;
  }

  /** Opens the notification stream, which reconnects after a restart of the platform. */
  async openStream(): Promise<void> {
    const stream = new EventSource(new URL("/worker-app/notifications/stream", this.#platformUrl), {
      fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...this.#caller.headers } }),
    });
    stream.addEventListener("notification", ({ data }) => this.#recordNotification(JSON.parse(data)));
    this.#stream = stream;
    await eventually("an open notification stream", () => stream.readyState === stream.OPEN);
  }

  #recordNotification(notification: PushNotification): void {
    this.#received.push(notification);
    const { offerId, reason, createdAt } = notification;
    const exchange = {
      from: "platform",
      to: this.#name,
      method: "push",
      path: `${reason} ${offerId}`,
      status: "received",
    };
    const ageMs = Date.now() - Date.parse(createdAt);
    this.#traffic.record(performance.now() - ageMs, exchange);
  }

  disconnect(): void {
    this.#stream?.close();
  }

  /** Counts the received notifications about an offer that have this reason. */
  countNotifications(reason: PushNotification["reason"], offerId: string): number {
    return this.#received.filter((notification) => notification.reason === reason && notification.offerId === offerId)
      .length;
  }

  awaitNotification(reason: PushNotification["reason"], offerId: string): Promise<unknown> {
    const hasReceived = () => this.countNotifications(reason, offerId) > 0;
    return eventually(`"${reason}" on ${this.workerId}'s phone`, hasReceived);
  }

  /** Reads all notifications from the list in the app. */
  async listNotifications(): Promise<PushNotification[]> {
    const { body } = await this.#caller.call<{ notifications: PushNotification[] }>("GET", "/worker-app/notifications");
    return body.notifications;
  }

  /** Opens, closes or responds to an offer. @returns the response status */
  async performAction(action: "open" | "apply" | "reject" | "close", offerId: string): Promise<number> {
    const { status } = await this.#caller.call("POST", `/worker-app/offers/${offerId}/${action}`);
    return status;
  }

  /** Shares the worker's availability with an organisation. @returns the response status */
  async addContact(organisationId: string): Promise<number> {
    const { status } = await this.#caller.call("POST", "/worker-app/contacts", { body: { organisationId } });
    return status;
  }
}
