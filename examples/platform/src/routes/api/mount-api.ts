import type { ErrorRequestHandler, RequestHandler, Router } from "express";
import type { paths } from "../../generated/openapi.ts";
import { defineRoutes } from "../../http/define-routes.ts";
import { ProblemError } from "../../http/problem-error.ts";
import type { Dialect } from "./dialect.ts";
import { offerOperations } from "./offer-operations.ts";
import type { ApiDeps } from "./operation.ts";

/** The API of spec/openapi.yaml. */
export function mountApi(router: Router, deps: ApiDeps): void {
  const { CreateOffer, GetOffer, CompleteOffer, WithdrawOffer } = offerOperations(deps);
  defineContractRoutes(router, "/offer", { post: CreateOffer });
  defineContractRoutes(router, "/offer/{id}", { get: GetOffer });
  defineContractRoutes(router, "/offer/{id}/complete", { post: CompleteOffer });
  // HEAD must be safe (RFC 9110, 9.3.2), and this GET withdraws (D-10).
  defineContractRoutes(router, "/offer/{id}/withdraw", { get: WithdrawOffer, head: false });
  router.use("/offer", inDialect(deps.dialect));
}

type MethodOf<Path extends keyof paths> = {
  [Name in "get" | "post"]: paths[Path] extends Record<Name, object> ? Name : never;
}["get" | "post"];

/** Routes of one path of spec/openapi.yaml. Other paths and methods do not compile. */
const defineContractRoutes = <Path extends keyof paths>(
  router: Router,
  path: Path,
  methods: { [Name in MethodOf<Path>]: RequestHandler } & { head?: false },
): void => defineRoutes(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), methods);

const inDialect =
  ({ statuses }: Dialect): ErrorRequestHandler =>
  (error: unknown, _request, _response, next) => {
    const status = error instanceof ProblemError ? statuses[error.code] : undefined;
    next(status === undefined ? error : (error as ProblemError).withStatus(status));
  };
