import { errorDocsUrl } from "@offers/contract/decisions";
import { operationProblems } from "@offers/contract/problem-kinds";
import type { OperationName } from "../http.ts";
import type { Dialect } from "./dialects.ts";
import type { IncomingRequest, ServiceResponse } from "./incoming-request.ts";
import { Refusal } from "./refusal.ts";
import { runOperation, type ServiceState } from "./run-operation.ts";

interface ServiceRoute {
  readonly pattern: RegExp;
  /** The operation for each method. HEAD is handled like GET, but never withdraws an offer (D-10). */
  readonly methods: Readonly<Partial<Record<string, OperationName>>>;
}

/** The operations, by path relative to `baseUrl`. */
const routes: readonly ServiceRoute[] = [
  { pattern: /^\/offer$/, methods: { POST: "CreateOffer" } },
  { pattern: /^\/offer\/([^/]+)$/, methods: { GET: "GetOffer", HEAD: "GetOffer" } },
  { pattern: /^\/offer\/([^/]+)\/complete$/, methods: { POST: "CompleteOffer" } },
  { pattern: /^\/offer\/([^/]+)\/withdraw$/, methods: { GET: "WithdrawOffer" } },
];

/** Runs the requested operation. Returns its response, or problem details if the request is rejected. */
export function handleRequest(state: ServiceState, request: IncomingRequest, path: string): ServiceResponse {
  const requestId = crypto.randomUUID();
  const commonHeaders = { "X-Request-Id": requestId, "Cache-Control": "no-store" };
  try {
    const response = dispatch(state, request, path);
    return { ...response, headers: { ...commonHeaders, ...response.headers } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const response = createProblemResponse(error, state.dialect, requestId);
    return { ...response, headers: { ...commonHeaders, ...response.headers } };
  }
}

/** Creates the response with the problem details of a refusal. */
function createProblemResponse(refusal: Refusal, dialect: Dialect, requestId: string): ServiceResponse {
  const { code, message, errors, headers } = refusal;
  const status = dialect.statuses[code] ?? operationProblems[code].status;
  const problem = {
    type: `${errorDocsUrl}${code}`,
    title: operationProblems[code].title,
    status,
    detail: message,
    instance: `urn:offers:request:${requestId}`,
    code,
    ...(errors && { errors: Object.fromEntries(errors) }),
  };
  return {
    status,
    headers: { "Content-Type": "application/problem+json; charset=utf-8", ...headers },
    body: JSON.stringify(problem),
  };
}

function dispatch(state: ServiceState, request: IncomingRequest, path: string): ServiceResponse {
  for (const { pattern, methods } of routes) {
    const [match, segment = ""] = pattern.exec(path) ?? [];
    if (match === undefined) continue;
    const id = decodeSegment(segment);
    const name = methods[request.method];
    if (name !== undefined) return runOperation(name, state, request, id);
    const allow = Object.keys(methods).join(", ");
    throw new Refusal("method_not_allowed", `Allowed methods: ${allow}.`, { headers: { Allow: allow } });
  }
  throw new Refusal("not_found", "Check the path.");
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal("malformed_url", "Percent-encode the URL as UTF-8.");
  }
}
