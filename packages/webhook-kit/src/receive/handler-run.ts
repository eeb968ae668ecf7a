import type { HandlerContext } from "../handlers.ts";
import { duplicated, findHeader } from "../http/headers.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import type { Verified } from "../verified.ts";

/** One run of a handler: what it gets beside its event, and the means to tell it that its time is over. */
export class HandlerRun<Incoming> implements HandlerContext<Incoming> {
  readonly unverifiedDeliveryId: string | undefined;
  readonly verified: Verified;
  readonly receivedAt: Date;
  readonly request: Incoming;
  // Made when a handler asks for it: most never do, and an AbortController costs more than the signature's check.
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(
    { rawHeaders, request }: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request">,
    { verified, receivedAt }: VerifiedRequest,
  ) {
    this.unverifiedDeliveryId = findDeliveryId(rawHeaders);
    this.verified = verified;
    this.receivedAt = receivedAt;
    this.request = request;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#abort();
    return this.#controller.signal;
  }

  /** Not a method: the handler holds the run, and its time is not its own to end. */
  static expire(run: HandlerRun<unknown>): void {
    run.#isOver = true;
    run.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new DOMException("The handler's time is over.", "TimeoutError"));
  }
}

export function findDeliveryId(rawHeaders: readonly string[]): string | undefined {
  const id = findHeader(rawHeaders, "offers-delivery-id");
  // Some runtimes join two headers into one with a comma.
  return id === duplicated || id === "" || id?.includes(",") ? undefined : id;
}
