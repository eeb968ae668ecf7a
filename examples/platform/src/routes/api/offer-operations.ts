import type { paths } from "@offers/contract/openapi";
import { assignedWorkerIdsSchema } from "@offers/contract/schemas";
import type { ErrorRequestHandler, RequestHandler, Router } from "express";
import { ProblemError } from "../../http/problem.ts";
import { defineRoutes, jsonResponse, pathParameter } from "../../http/routes.ts";
import { parseBody } from "../../http/validation.ts";
import { applyAction, refusalProblem } from "../../offers/apply-action.ts";
import { checkCreation, createCreationContext } from "../../offers/check-creation.ts";
import { createOffer } from "../../offers/create-offer.ts";
import { readOffer } from "../../offers/read-offer.ts";
import type { Dialect, OfferOperation } from "./dialect.ts";
import { type ApiDeps, operationHandler, withIdempotencyKey } from "./operation.ts";

/** Adds the API that spec/openapi.yaml describes. */
export function mountApi(router: Router, deps: ApiDeps): void {
  const { CreateOffer, GetOffer, CompleteOffer, WithdrawOffer } = createOfferHandlers(deps);
  defineContractRoutes(router, "/offer", { post: CreateOffer });
  defineContractRoutes(router, "/offer/{id}", { get: GetOffer });
  defineContractRoutes(router, "/offer/{id}/complete", { post: CompleteOffer });
  // Reject HEAD: it must be safe (RFC 9110, 9.3.2), and this GET withdraws (D-10).
  defineContractRoutes(router, "/offer/{id}/withdraw", { get: WithdrawOffer, head: false });
  router.use("/offer", useDialectStatuses(deps.dialect));
}

type MethodOf<Path extends keyof paths> = {
  [Name in "get" | "post"]: paths[Path] extends Record<Name, object> ? Name : never;
}["get" | "post"];

/** Defines the routes of one path in spec/openapi.yaml. Any other path or method does not compile. */
const defineContractRoutes = <Path extends keyof paths>(
  router: Router,
  path: Path,
  methods: { [Name in MethodOf<Path>]: RequestHandler } & { head?: false },
): void => defineRoutes(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), methods);

/** Creates an error handler that replaces the statuses of problems as the dialect specifies. */
const useDialectStatuses =
  ({ statuses }: Dialect): ErrorRequestHandler =>
  (error: unknown, _request, _response, next) => {
    if (!(error instanceof ProblemError)) return next(error);
    const status = statuses[error.code];
    next(status === undefined ? error : error.withStatus(status));
  };

/** Creates the handlers for the offer operations in spec/openapi.yaml. */
const createOfferHandlers = (deps: ApiDeps): Record<OfferOperation, RequestHandler> => ({
  CreateOffer: operationHandler(deps, "CreateOffer", async (call) => {
    const body = await deps.readJson(call.request, call.response);
    return withIdempotencyKey(deps, call, async (trx) => {
      const input = await checkCreation(
        body,
        createCreationContext(trx, deps.now(), call.caller.creatorOrganisationIds),
      );
      return deps.dialect.created(await createOffer(trx, deps, call.caller.organisationId, input));
    });
  }),
  GetOffer: operationHandler(deps, "GetOffer", async ({ caller, request }) => {
    const offer = await readOffer(deps, caller.organisationId, pathParameter(request, "id"));
    return offer === undefined ? deps.dialect.onAbsentOffer() : jsonResponse(200, offer);
  }),
  CompleteOffer: operationHandler(deps, "CompleteOffer", async (call) => {
    const workerIds = parseBody(assignedWorkerIdsSchema, await deps.readJson(call.request, call.response));
    return withIdempotencyKey(deps, call, async (trx) => {
      const action = { type: "complete", workerIds } as const;
      const result = await applyAction(trx, deps, call.caller, pathParameter(call.request, "id"), action);
      if (result !== "done") throw refusalProblem(result);
      return deps.dialect.completed;
    });
  }),
  WithdrawOffer: operationHandler(deps, "WithdrawOffer", async ({ caller, request }) => {
    const id = pathParameter(request, "id");
    const result = await deps.store.transaction((trx) => applyAction(trx, deps, caller, id, { type: "withdraw" }));
    // D-10: a withdrawal succeeds in every state, so it fails only for an unknown offer.
    return result === "done" ? deps.dialect.withdrawn : deps.dialect.onAbsentOffer();
  }),
});
