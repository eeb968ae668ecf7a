import type { RequestHandler } from "express";
import { ProblemError } from "./problem.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** A host, and perhaps a port. */
const hostHeader = /^(\[[\da-f:.]+\]|[^:]+)(?::\d{1,5})?$/i;

/**
 * Rejects requests to hosts other than loopback and those given (D-105). A page of another site that points its own
 * name at 127.0.0.1 (DNS rebinding) can then neither read nor change anything.
 *
 * @param allowed in lower case
 */
export function checkHost(allowed: readonly string[]): RequestHandler {
  const names = new Set([...loopbackNames, ...allowed]);
  return (request, _response, next) => {
    const [, name = ""] = hostHeader.exec(request.headers.host ?? "") ?? [];
    if (names.has(name.toLowerCase())) return next();
    throw new ProblemError(
      "host_not_allowed",
      "Call the platform by localhost, 127.0.0.1 or [::1], or allow its name: --allow-host of the sandbox, OFFERS_ALLOWED_HOSTS of the platform.",
    );
  };
}
