import { messageKey } from "../deduplication/request-key.ts";
import type { HandlerContext } from "../handlers.ts";
import { duplicated, findHeader } from "../http/headers.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import type { Verified } from "../verified.ts";

/** The context of one run of a handler, and the means to abort its signal. */
export class HandlerRun<Incoming> implements HandlerContext<Incoming> {
  readonly unverifiedDeliveryId: string | undefined;
  readonly verified: Verified;
  readonly receivedAt: Date;
  readonly request: Incoming;
  readonly #verifiedRequest: VerifiedRequest;
  // Created on first use: most handlers never use it, and an AbortController costs more than verifying the signature.
  #controller: AbortController | undefined;
  #isOver = false;

  constructor(
    { rawHeaders, request }: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request">,
    verifiedRequest: VerifiedRequest,
  ) {
    this.unverifiedDeliveryId = findDeliveryId(rawHeaders);
    this.verified = verifiedRequest.verified;
    this.receivedAt = verifiedRequest.receivedAt;
    this.request = request;
    this.#verifiedRequest = verifiedRequest;
  }

  get deduplicationKey(): string | undefined {
    return messageKey(this.#verifiedRequest);
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#abort();
    return this.#controller.signal;
  }

  /** Static, because the handler holds the instance and must not call it. */
  static expire(run: HandlerRun<unknown>): void {
    run.#isOver = true;
    run.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new DOMException("handlerTimeoutMs has elapsed.", "TimeoutError"));
  }
}

export function findDeliveryId(rawHeaders: readonly string[]): string | undefined {
  const id = findHeader(rawHeaders, "offers-delivery-id");
  // Some runtimes join two headers into one with a comma.
  return id === duplicated || id === "" || id?.includes(",") ? undefined : id;
}
