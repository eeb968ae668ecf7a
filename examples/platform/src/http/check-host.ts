import type { RequestHandler } from "express";
import { ProblemError } from "./problem.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Matches a host, with or without a port. */
const hostHeader = /^(\[[\da-f:.]+\]|[^:]+)(?::\d{1,5})?$/i;

/**
 * Rejects requests to hosts other than loopback and those in `allowed` (D-105). Another site that points its own
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
      "Use localhost, 127.0.0.1 or [::1] to call the platform, or allow this host name: with --allow-host in the sandbox, with OFFERS_ALLOWED_HOSTS in the platform.",
    );
  };
}
