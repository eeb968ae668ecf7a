import type { Proof } from "./check-signature.ts";
import type { HandlerContext } from "./handlers.ts";
import { duplicated, findHeader } from "./headers.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";

/** A context, and the means to abort its signal when the time is over. */
export interface HandlerRun<Incoming> {
  readonly context: HandlerContext<Incoming>;
  expire(): void;
}

export function startRun<Incoming>(incoming: IncomingWebhook<Incoming>, proof: Proof): HandlerRun<Incoming> {
  // Made when a handler asks for it: most never do, and an AbortController costs more than the signature's check.
  let controller: AbortController | undefined;
  let isOver = false;
  const abort = () => controller?.abort(new DOMException("The handler's time is over.", "TimeoutError"));
  return {
    context: {
      unverifiedDeliveryId: findDeliveryId(incoming.rawHeaders),
      verified: proof.verified,
      receivedAt: proof.receivedAt,
      request: incoming.request,
      get signal() {
        controller ??= new AbortController();
        if (isOver) abort();
        return controller.signal;
      },
    },
    expire() {
      isOver = true;
      abort();
    },
  };
}

export function findDeliveryId(rawHeaders: readonly string[]): string | undefined {
  const id = findHeader(rawHeaders, "offers-delivery-id");
  return id === duplicated || id === "" ? undefined : id;
}
