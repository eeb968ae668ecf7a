import type { RequestHandler } from "express";
import { ProblemError } from "./problem.ts";

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

/** Matches a host, with or without a port. */
const hostHeader = /^(\[[\da-f:.]+\]|[^:]+)(?::\d{1,5})?$/i;

/**
 * Rejects requests to any host except loopback names and the names in `allowed` (D-105). This prevents a site that points its own
 * name at 127.0.0.1 (DNS rebinding) from reading or changing anything.
 *
 * @param allowed host names, in lower case
 */
export function checkHost(allowed: readonly string[]): RequestHandler {
  const names = new Set([...loopbackNames, ...allowed]);
  return (request, _response, next) => {
    const [, name = ""] = hostHeader.exec(request.headers.host ?? "") ?? [];
    if (names.has(name.toLowerCase())) return next();
    throw new ProblemError(
      "host_not_allowed",
      "Call the platform at localhost, 127.0.0.1 or [::1], or allow this host name with --allow-host (sandbox) or OFFERS_ALLOWED_HOSTS (platform).",
    );
  };
}
