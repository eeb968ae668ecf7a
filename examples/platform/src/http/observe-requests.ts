import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";

/** A completed request, for logs and metrics. `route` is the template, never the path. */
export interface CompletedRequest {
  method: string;
  route: string;
  /** The response status; null if the caller disconnected before the response was complete. */
  status: number | null;
  ms: number;
  requestId: string;
}

/** Sets `X-Request-Id` to a new id (D-53), forbids caching by default, and reports each request when it completes. */
export const observeRequests =
  (onRequest: (request: CompletedRequest) => void): RequestHandler =>
  (request, response, next) => {
    const startedAt = performance.now();
    const requestId = randomUUID();
    // Caches must not store responses, because withdrawal is a GET and responses contain personal data.
    response.set({ "X-Request-Id": requestId, "Cache-Control": "no-store" });
    response.once("close", () => {
      const { method } = request;
      const route = String(request.route?.path ?? "none");
      const status = response.writableFinished ? response.statusCode : null;
      onRequest({ method, route, status, ms: Math.round(performance.now() - startedAt), requestId });
    });
    next();
  };
