import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/** How a request went: with the route's template, never its path. */
export interface AnsweredRequest {
  method: string;
  route: string;
  /** Null when the caller was gone before the end. */
  status: number | null;
  ms: number;
  requestId: string;
}

/** Gives each answer its id, one of ours alone (D-53), and says once, when it is over, how it went. */
export const observeRequests =
  (onAnswered: (request: AnsweredRequest) => void): RequestHandler =>
  (request, response, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    // Withdraw is a GET, and answers are personal: nothing on the way may keep any of them.
    response.set({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    response.once("close", () => {
      const { method } = request;
      const route = String(response.locals.route ?? "none");
      const status = response.writableFinished ? response.statusCode : null;
      onAnswered({ method, route, status, ms: Math.round(performance.now() - startedAt), requestId });
    });
    next();
  };
