import type { ErrorRequestHandler, Router } from "express";
import { ProblemError } from "../problem/problem-error.ts";
import type { ApiDeps } from "./api-deps.ts";
import { completeOfferRoute } from "./complete-offer-route.ts";
import { defineContractRoutes } from "./contract-resource.ts";
import { createOfferRoute } from "./create-offer-route.ts";
import type { Dialect } from "./dialect.ts";
import { getOfferRoute } from "./get-offer-route.ts";
import { withdrawOfferRoute } from "./withdraw-offer-route.ts";

/** The four operations of spec/openapi.yaml. */
export function mountApi(router: Router, deps: ApiDeps): void {
  defineContractRoutes(router, "/offer", { post: createOfferRoute(deps) });
  defineContractRoutes(router, "/offer/{id}", { get: getOfferRoute(deps) });
  defineContractRoutes(router, "/offer/{id}/complete", { post: completeOfferRoute(deps) });
  // HEAD must be safe (RFC 9110, 9.3.2), and this GET withdraws (D-10).
  defineContractRoutes(router, "/offer/{id}/withdraw", { get: withdrawOfferRoute(deps), head: false });
  router.use("/offer", inDialect(deps.dialect));
}

const inDialect =
  ({ statuses }: Dialect): ErrorRequestHandler =>
  (error: unknown, _request, _response, next) => {
    const status = error instanceof ProblemError ? statuses[error.code] : undefined;
    next(status === undefined ? error : (error as ProblemError).withStatus(status));
  };
