import type { Request, RequestHandler, Response } from "express";
import { authenticate, type Caller } from "../../accounts/authenticate.ts";
import type { RateLimits } from "../../accounts/rate-limits.ts";
import { checkParameters } from "../../http/known-parameters.ts";
import type { ReadJson } from "../../http/read-json.ts";
import { type RouteResponse, sendResponse } from "../../http/response.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import { checkApiVersion } from "./check-api-version.ts";
import type { Dialect, OfferOperation } from "./dialect.ts";

export interface ApiDeps extends OfferDeps {
  readJson: ReadJson;
  dialect: Dialect;
  rateLimits: RateLimits;
}

/** An authenticated request of an operation. */
export interface Call {
  readonly operation: OfferOperation;
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
}

/** Checks the API key, then the version and the query parameters, then runs the operation. */
export const operation =
  (deps: ApiDeps, name: OfferOperation, respond: (call: Call) => Promise<RouteResponse>): RequestHandler =>
  async (request, response) => {
    const caller = await authenticate(deps, request);
    checkApiVersion(request, deps.dialect.apiVersionRequiredOn.includes(name));
    checkParameters(request, ["api-version"]);
    sendResponse(response, await respond({ operation: name, caller, request, response }));
  };
