import { openReceiver, receiverInWords } from "@offers/contract/open-receiver";
import { DeliveryError } from "./delivery-error.ts";
import type { TestClock } from "./test-clock.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./webhook-receiver.ts";

/** A request as it is sent. */
export interface EndpointRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** How requests are signed, besides the profile. */
export interface SignOptions {
  /** @default the profile's */
  secret?: string | undefined;
  /** How long before now. @default 0 */
  agoMs?: number | undefined;
}

/** A receiver with its profile. */
export interface Endpoint {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  sign(id: string, body: Uint8Array, options?: SignOptions): Promise<Readonly<Record<string, string>>>;
  /** Rejects when no response comes. */
  call(request: EndpointRequest): Promise<Response>;
}

/** @throws {DeliveryError} (rejects) `invalid_argument` or `invalid_address` */
export async function openEndpoint(
  receiver: WebhookReceiver | WebhookListener,
  profile: ReceiverProfile,
  clock: TestClock,
): Promise<Endpoint> {
  const { secret, sign, baseUrl = "https://integrator.test", isDown = () => false } = profile;
  if (typeof secret !== "string" || typeof sign !== "function")
    throw new DeliveryError("invalid_argument", "deliverTo: give { secret, sign: signHeaders }");
  const base = checkAddress(typeof receiver === "string" ? receiver : (Object(receiver).href ?? baseUrl));
  const opened = await openReceiver<Request, Response>(receiver);
  if (!opened) throw new DeliveryError("invalid_argument", `deliverTo takes ${receiverInWords}`);
  let lastSignedAt = Number.NEGATIVE_INFINITY;
  return {
    baseUrl: "isServer" in opened && opened.isServer ? checkAddress(opened.address + new URL(base).pathname) : base,
    async sign(id, body, { secret: other = secret, agoMs } = {}) {
      // On a clock that stands still, two requests would have the same signature: receivers would take one for the other.
      if (agoMs === undefined) lastSignedAt = Math.max(clock.ms, lastSignedAt + 1);
      return sign({ secret: other, now: new Date(agoMs === undefined ? lastSignedAt : clock.ms - agoMs), body, id });
    },
    async call({ url, ...init }) {
      // As Node's fetch reports it.
      if (isDown()) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      return "fetch" in opened ? opened.fetch(new Request(url, init)) : fetch(url, { ...init, redirect: "manual" });
    },
  };
}

/** As the company profile does (D-41). Private addresses are fine: it is the test's own machine. */
function checkAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isWeb || url.username !== "" || url.password !== "" || /[?#]/.test(address))
    throw new DeliveryError(
      "invalid_address",
      "deliverTo: the base address starts with http:// or https://, without a user name, ? and #",
    );
  return url.href.replace(/\/+$/, "");
}
