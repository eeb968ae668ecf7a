import type { RequestHandler, Router } from "express";
import { ProblemError } from "../problem/problem-error.ts";

export interface Methods {
  get?: RequestHandler;
  post?: RequestHandler;
  put?: RequestHandler;
  delete?: RequestHandler;
  /** Whether HEAD is answered as GET without a body. @default true */
  head?: false;
}

/** Everything that one path answers. A method it does not name is 405 with `Allow`, OPTIONS too (D-52). */
export function resource(router: Router, path: string, { head, ...handlers }: Methods): void {
  const named = Object.keys(handlers).map((method) => method.toUpperCase());
  const allow = [...named, ...(handlers.get !== undefined && head !== false ? ["HEAD"] : [])].join(", ");
  const refuse: RequestHandler = () => {
    throw new ProblemError("method_not_allowed", `Allowed here: ${allow}.`, { headers: { Allow: allow } });
  };
  const route = router.route(path).all((_request, response, next) => {
    response.locals.route = path;
    next();
  });
  // Express runs GET handlers for HEAD.
  if (head === false) route.head(refuse);
  if (handlers.get) route.get(handlers.get);
  if (handlers.post) route.post(handlers.post);
  if (handlers.put) route.put(handlers.put);
  if (handlers.delete) route.delete(handlers.delete);
  route.all(refuse);
}
