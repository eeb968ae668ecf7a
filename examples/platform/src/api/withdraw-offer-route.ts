import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { applyAction } from "../offers/apply-action.ts";
import { commitAndPublish } from "../offers/commit-and-publish.ts";
import type { ApiDeps } from "./api-deps.ts";
import { operation } from "./operation.ts";

/** `GET /offer/{id}/withdraw` */
export const withdrawOfferRoute = (deps: ApiDeps): RequestHandler =>
  operation(deps, "WithdrawOffer", async ({ caller, request }) => {
    const id = pathParameter(request, "id");
    const result = await commitAndPublish(deps, (trx) => applyAction(trx, deps, caller, id, { type: "withdraw" }));
    // D-10: withdrawal succeeds in every state, so the only failure is an unknown offer.
    return result === "done" ? deps.dialect.withdrawn : deps.dialect.absent();
  });
