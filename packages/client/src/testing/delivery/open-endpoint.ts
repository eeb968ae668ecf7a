import { openReceiver, receiverDescription } from "@offers/contract/open-receiver";
import { DeliveryError } from "./delivery-error.ts";
import type { TestClock } from "./test-clock.ts";
import type { ReceiverProfile, WebhookListener, WebhookReceiver } from "./webhook-receiver.ts";

/** A request to the receiver. */
export interface EndpointRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
}

/** Options for signing a request. */
export interface SignOptions {
  /** The secret to sign with. @default the secret in the profile */
  secret?: string | undefined;
  /** How long ago the request was signed. @default 0 */
  agoMs?: number | undefined;
}

/** A receiver and its profile. */
export interface Endpoint {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Returns the signature headers. */
  sign(id: string, body: Uint8Array, options?: SignOptions): Promise<Readonly<Record<string, string>>>;
  /** Sends a request to the receiver. Rejects if there is no response. */
  call(request: EndpointRequest): Promise<Response>;
}

/** Checks the profile and opens the receiver. @throws {DeliveryError} (rejects) `invalid_argument` or `invalid_address` */
export async function openEndpoint(
  receiver: WebhookReceiver | WebhookListener,
  profile: ReceiverProfile,
  clock: TestClock,
): Promise<Endpoint> {
  const { secret, sign, baseUrl = "https://integrator.test", isDown = () => false } = profile;
  if (typeof secret !== "string" || typeof sign !== "function")
    throw new DeliveryError("invalid_argument", "deliverTo: pass { secret, sign: signHeaders }");
  const profileUrl = readBaseUrl(typeof receiver === "string" ? receiver : (Object(receiver).href ?? baseUrl));
  const openedReceiver = await openReceiver<Request, Response>(receiver);
  if (!openedReceiver) throw new DeliveryError("invalid_argument", `deliverTo accepts ${receiverDescription}`);
  let lastSignedAt = Number.NEGATIVE_INFINITY;
  return {
    baseUrl:
      "isServer" in openedReceiver && openedReceiver.isServer
        ? readBaseUrl(openedReceiver.address + new URL(profileUrl).pathname)
        : profileUrl,
    async sign(id, body, { secret: key = secret, agoMs } = {}) {
      // Each request is signed later than the one before. Otherwise, equal requests would have equal signatures, and the second would
      // count as a duplicate.
      if (agoMs === undefined) lastSignedAt = Math.max(clock.ms, lastSignedAt + 1);
      return sign({ secret: key, now: new Date(agoMs === undefined ? lastSignedAt : clock.ms - agoMs), body, id });
    },
    async call({ url, ...init }) {
      // The error that Node's fetch would throw.
      if (isDown()) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
      if ("fetch" in openedReceiver) return openedReceiver.fetch(new Request(url, init));
      return fetch(url, { ...init, redirect: "manual" });
    },
  };
}

/** Checks the base URL as the company profile does (D-41), but allows private addresses, because tests run on one machine. */
function readBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isHttp || url.username !== "" || url.password !== "" || /[?#]/.test(baseUrl))
    throw new DeliveryError(
      "invalid_address",
      "deliverTo: the base URL must start with http:// or https:// and have no credentials, query or fragment",
    );
  return url.href.replace(/\/+$/, "");
}
