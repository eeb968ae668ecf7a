import type { Request, RequestHandler, Response, Router } from "express";
import { ProblemError } from "./problem.ts";

export interface Methods {
  get?: RequestHandler;
  post?: RequestHandler;
  put?: RequestHandler;
  delete?: RequestHandler;
  /** `false` rejects HEAD requests, which the GET handler would otherwise serve. */
  head?: false;
}

/** Defines the methods of one path. Any other method, including OPTIONS, returns 405 with `Allow` (D-52). */
export function defineRoutes(router: Router, path: string, { head, ...handlers }: Methods): void {
  const methods = Object.keys(handlers).map((method) => method.toUpperCase());
  const allow = [...methods, ...(handlers.get !== undefined && head !== false ? ["HEAD"] : [])].join(", ");
  const rejectMethod: RequestHandler = () => {
    throw new ProblemError("method_not_allowed", `Allowed methods: ${allow}.`, { headers: { Allow: allow } });
  };
  const route = router.route(path);
  // Without a HEAD handler, Express runs the GET handler.
  if (head === false) route.head(rejectMethod);
  for (const [method, handler] of Object.entries(handlers)) route[method as keyof typeof handlers](handler);
  route.all(rejectMethod);
}

/** Returns a decoded path parameter. A value that cannot be an id becomes an empty id, which matches nothing. */
export function pathParameter(request: Request, name: string): string {
  const value = request.params[name];
  // PostgreSQL rejects U+0000 in any string.
  return typeof value === "string" && !value.includes("\0") ? value : "";
}

/** A response as plain data that can be stored and replayed. */
export interface RouteResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export const jsonResponse = (status: number, value: unknown, headers: Record<string, string> = {}): RouteResponse => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

export function sendResponse(response: Response, { status, headers = {}, body }: RouteResponse): void {
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else response.send(body);
}
