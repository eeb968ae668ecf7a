import type { RequestHandler } from "express";
import { assignedWorkerIdsSchema } from "../generated/schemas.ts";
import { pathParameter } from "../http/path-parameter.ts";
import { applyAction } from "../offers/apply-action.ts";
import { refusalProblem } from "../offers/refusal-problem.ts";
import { parseBody } from "../validation/parse-body.ts";
import type { ApiDeps } from "./api-deps.ts";
import { operation } from "./operation.ts";
import { withIdempotencyKey } from "./with-idempotency-key.ts";

/** `POST /offer/{id}/complete` */
export const completeOfferRoute = (deps: ApiDeps): RequestHandler =>
  operation(deps, "CompleteOffer", async (call) => {
    const workerIds = parseBody(assignedWorkerIdsSchema, await deps.readJson(call.request, call.response));
    return withIdempotencyKey(deps, call, async (trx) => {
      const action = { type: "complete", workerIds } as const;
      const result = await applyAction(trx, deps, call.caller, pathParameter(call.request, "id"), action);
      if (result !== "done") throw refusalProblem(result);
      return deps.dialect.completed;
    });
  });
