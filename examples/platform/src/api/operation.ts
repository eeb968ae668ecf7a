import type { Request, RequestHandler, Response } from "express";
import { type Answer, sendAnswer } from "../http/response.ts";
import { checkParameters } from "../validation/known-parameters.ts";
import type { ApiDeps } from "./api-deps.ts";
import { authenticate, type Caller } from "./authenticate.ts";
import { checkApiVersion } from "./check-api-version.ts";
import type { OfferOperation } from "./dialect.ts";

/** One request of an operation, once it is known who asks. */
export interface Call {
  readonly operation: OfferOperation;
  readonly caller: Caller;
  readonly request: Request;
  readonly response: Response;
}

/** What all operations have in common: the key first, then the version, then the operation itself. */
export const operation =
  (deps: ApiDeps, name: OfferOperation, answer: (call: Call) => Promise<Answer>): RequestHandler =>
  async (request, response) => {
    const caller = await authenticate(deps, request);
    checkApiVersion(request, deps.dialect.apiVersionRequiredOn.includes(name));
    checkParameters(request, ["api-version"]);
    sendAnswer(response, await answer({ operation: name, caller, request, response }));
  };
