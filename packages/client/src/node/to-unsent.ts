import { ConnectionError } from "../errors/exchange-errors.ts";
import type { OffersFailure } from "../errors/offers-failure.ts";
import { redacted } from "../pipeline/redact.ts";
import { toFailure } from "../pipeline/to-failure.ts";

/**
 * Why no connection was made. The codes don't always say so, for instance when a proxy opens no way to the service: read by
 * them alone, a creation that never left would pass for one that may have arrived (D-40).
 */
export function toUnsent(thrown: Error): OffersFailure {
  const failure = toFailure(thrown, redacted);
  if (failure.code !== "connection_lost") return failure;
  const code = "connection_not_made";
  return new ConnectionError(failure.message.replace(failure.code, code), { code, cause: failure.cause });
}
