import type { RequestHandler } from "express";
import { assignedWorkerIdsSchema } from "../../generated/schemas.ts";
import { parseBody } from "../../http/parse-body.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { jsonResponse } from "../../http/response.ts";
import { applyAction } from "../../offers/apply-action.ts";
import { checkCreation } from "../../offers/check-creation.ts";
import { createOffer } from "../../offers/create-offer.ts";
import { creationContext } from "../../offers/creation-context.ts";
import { readOffer } from "../../offers/read-offer.ts";
import { refusalProblem } from "../../offers/refusal-problem.ts";
import type { OfferOperation } from "./dialect.ts";
import { type ApiDeps, operation } from "./operation.ts";
import { withIdempotencyKey } from "./with-idempotency-key.ts";

/** The operations of spec/openapi.yaml on offers. */
export const offerOperations = (deps: ApiDeps): Record<OfferOperation, RequestHandler> => ({
  CreateOffer: operation(deps, "CreateOffer", async (call) => {
    const body = await deps.readJson(call.request, call.response);
    return withIdempotencyKey(deps, call, async (trx) => {
      const input = await checkCreation(body, creationContext(trx, deps.now(), call.caller.peopleOf));
      return deps.dialect.created(await createOffer(trx, deps, call.caller.organisationId, input));
    });
  }),
  GetOffer: operation(deps, "GetOffer", async ({ caller, request }) => {
    const offer = await readOffer(deps, caller.organisationId, pathParameter(request, "id"));
    return offer === undefined ? deps.dialect.absent() : jsonResponse(200, offer);
  }),
  CompleteOffer: operation(deps, "CompleteOffer", async (call) => {
    const workerIds = parseBody(assignedWorkerIdsSchema, await deps.readJson(call.request, call.response));
    return withIdempotencyKey(deps, call, async (trx) => {
      const action = { type: "complete", workerIds } as const;
      const result = await applyAction(trx, deps, call.caller, pathParameter(call.request, "id"), action);
      if (result !== "done") throw refusalProblem(result);
      return deps.dialect.completed;
    });
  }),
  WithdrawOffer: operation(deps, "WithdrawOffer", async ({ caller, request }) => {
    const id = pathParameter(request, "id");
    const result = await deps.store.transaction((trx) => applyAction(trx, deps, caller, id, { type: "withdraw" }));
    // D-10: withdrawal succeeds in every state, so the only failure is an unknown offer.
    return result === "done" ? deps.dialect.withdrawn : deps.dialect.absent();
  }),
});
