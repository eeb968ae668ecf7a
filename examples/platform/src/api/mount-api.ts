import type { ErrorRequestHandler, Router } from "express";
import { resource } from "../http/resource.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { ApiDeps } from "./api-deps.ts";
import { completeOfferRoute } from "./complete-offer-route.ts";
import { createOfferRoute } from "./create-offer-route.ts";
import type { Dialect } from "./dialect.ts";
import { getOfferRoute } from "./get-offer-route.ts";
import { withdrawOfferRoute } from "./withdraw-offer-route.ts";

/** The four operations of spec/openapi.yaml. */
export function mountApi(router: Router, deps: ApiDeps): void {
  resource(router, "/offer", { post: createOfferRoute(deps) });
  resource(router, "/offer/:id", { get: getOfferRoute(deps) });
  resource(router, "/offer/:id/complete", { post: completeOfferRoute(deps) });
  // A HEAD that withdraws would surprise everyone (D-10).
  resource(router, "/offer/:id/withdraw", { get: withdrawOfferRoute(deps), head: false });
  router.use("/offer", inDialect(deps.dialect));
}

const inDialect =
  ({ statuses }: Dialect): ErrorRequestHandler =>
  (error: unknown, _request, _response, next) => {
    const status = error instanceof ProblemError ? statuses[error.code] : undefined;
    next(status === undefined ? error : (error as ProblemError).withStatus(status));
  };
