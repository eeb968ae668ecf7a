import type { RequestHandler, Router } from "express";
import { ProblemError } from "./problem-error.ts";

export interface Methods {
  get?: RequestHandler;
  post?: RequestHandler;
  put?: RequestHandler;
  delete?: RequestHandler;
  /** `false` rejects HEAD, which is otherwise served by GET without a body. */
  head?: false;
}

/** Defines the methods of one path. Any other method, OPTIONS included, is 405 with `Allow` (D-52). */
export function defineRoutes(router: Router, path: string, { head, ...handlers }: Methods): void {
  const named = Object.keys(handlers).map((method) => method.toUpperCase());
  const allow = [...named, ...(handlers.get !== undefined && head !== false ? ["HEAD"] : [])].join(", ");
  const rejectMethod: RequestHandler = () => {
    throw new ProblemError("method_not_allowed", `Allowed here: ${allow}.`, { headers: { Allow: allow } });
  };
  const route = router.route(path);
  // Express runs GET handlers for HEAD.
  if (head === false) route.head(rejectMethod);
  for (const [method, handler] of Object.entries(handlers)) route[method as keyof typeof handlers](handler);
  route.all(rejectMethod);
}
