import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import type { Logger } from "pino";

/** Gives each answer its id, one of ours alone (D-53), and says once, when it is over, how it went: with the route's template, never its path. */
export const observeRequests =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    // Withdraw is a GET, and answers are personal: nothing on the way may keep any of them.
    response.set({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    response.once("close", () => {
      const { method } = request;
      const route = String(response.locals.route ?? "none");
      // Null when the caller was gone before the end.
      const status = response.writableFinished ? response.statusCode : null;
      log.info({ method, route, status, ms: Math.round(performance.now() - startedAt), requestId }, "http.answered");
    });
    next();
  };
