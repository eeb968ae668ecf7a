import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { actOnOffer } from "../offers/apply-action.ts";
import { commit } from "../offers/commit-and-publish.ts";
import type { ApiDeps } from "./api-deps.ts";
import { operation } from "./operation.ts";

/** `GET /offer/{id}/withdraw` */
export const withdrawOfferRoute = (deps: ApiDeps): RequestHandler =>
  operation(deps, "WithdrawOffer", async ({ caller, request }) => {
    const id = pathParameter(request, "id");
    const result = await commit(deps, (trx) => actOnOffer(trx, deps, caller, id, { type: "withdraw" }));
    // An offer can be withdrawn in any state (D-10): only one that is not there refuses.
    return result === "done" ? deps.dialect.withdrawn : deps.dialect.absent();
  });
