import type { RequestHandler } from "express";
import { checkCreation } from "../offers/check-creation.ts";
import { createOffer } from "../offers/create-offer.ts";
import { creationContext } from "../offers/creation-context.ts";
import type { ApiDeps } from "./api-deps.ts";
import { operation } from "./operation.ts";
import { withIdempotencyKey } from "./with-idempotency-key.ts";

/** `POST /offer` */
export const createOfferRoute = (deps: ApiDeps): RequestHandler =>
  operation(deps, "CreateOffer", async (call) => {
    const body = await deps.readJson(call.request, call.response);
    return withIdempotencyKey(deps, call, async (trx) => {
      const input = await checkCreation(body, creationContext(trx, deps.now(), call.caller.peopleOf));
      return deps.dialect.created(await createOffer(trx, deps, call.caller.organisationId, input));
    });
  });
