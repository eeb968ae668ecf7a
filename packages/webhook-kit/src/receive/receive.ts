import { neededReceipts } from "../deduplication/dedupe-keys.ts";
import { handleOnce } from "../deduplication/deduplicate.ts";
import type { Endpoint, HandledEndpoint } from "../endpoints/endpoint.ts";
import { decodeParameters, findRoute, type Route } from "../endpoints/find-route.ts";
import { InternalError } from "../errors.ts";
import { bodyTimeoutMs } from "../generated/decisions.ts";
import type { IncomingWebhook, ReceivedBody } from "../http/incoming-request.ts";
import { checkPayload, isJson, parseJson } from "../http/json-body.ts";
import { failureAnswer, refuseRequest } from "../http/rejected.ts";
import { type Answer, acknowledged } from "../http/response.ts";
import type { Failure, Outcome } from "../observability/outcome.ts";
import { traceRequest } from "../observability/trace-request.ts";
import type { ReceiverSettings } from "../options/options.ts";
import type { Proof } from "../signature/verify-signature.ts";
import { type Awaitable, after, attempt } from "./after.ts";
import { type CheckedRequest, checkRequest } from "./check-request.ts";
import { HandlerRun } from "./handler-run.ts";
import { type RunningHandler, runHandler } from "./run-handler.ts";
import { asOwnError } from "./wrap-error.ts";

/** Answers one webhook; undefined when the path is none of ours. Never throws or rejects: every fault has its answer. */
export function receive<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
): Awaitable<Answer | undefined> {
  const route = findRoute(incoming.path);
  if (!route) return undefined;
  const { tracer, observer } = settings;
  const run = () => attempt<Outcome, Failure>(() => checkRoute(settings, incoming, route), describeFailure);
  const reportTracer = (cause: unknown) => observer.failed(tracerFailed(cause), route.endpoint.name);
  const traced = tracer ? traceRequest(tracer, route.endpoint, incoming.method, run, reportTracer) : run();
  return after(traced, (outcome) => {
    observer.ended(outcome, route.endpoint.name);
    return outcome.answer;
  });
}

const tracerFailed = (cause: unknown): InternalError =>
  new InternalError(
    "tracer_failed",
    "The tracer threw; the cause of this error is what it threw. No response depends on it.",
    {
      cause,
    },
  );

function describeFailure(cause: unknown): Failure {
  const error = asOwnError(cause);
  return { answer: failureAnswer(error), error };
}

function checkRoute<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  { endpoint, methods, parameters }: Route,
): Awaitable<Outcome> {
  if (isHandled(endpoint) && settings.handlers[endpoint.handlerName] === undefined)
    return refuseRequest("endpoint_not_mounted", { advice: `Give its handler: ${endpoint.handlerName}.` });
  if (!methods.includes(incoming.method))
    return refuseRequest("method_not_allowed", {
      headers: { allow: methods.join(", ") },
      advice: `It takes ${methods.join(" and ")}.`,
    });
  if (endpoint.kind === "test") return { answer: acknowledged, duplicate: false };
  return after(checkRequest(settings, incoming), (checked) => {
    if ("rejection" in checked) return checked;
    if (isHandled(endpoint)) return handle(settings, incoming, { endpoint, parameters }, checked);
    return handleOnce(settings, endpoint.name, neededReceipts(settings, checked.proof), () => nothingToRun);
  });
}

const isHandled = (endpoint: Endpoint): endpoint is HandledEndpoint =>
  endpoint.kind === "event" || endpoint.kind === "request";

/** What `/test/auth` does once its headers are proven. */
const nothingToRun: RunningHandler = { answer: acknowledged, outcome: acknowledged };

function handle<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  { endpoint, parameters }: Pick<Route, "parameters"> & { readonly endpoint: HandledEndpoint },
  { proof, body }: CheckedRequest,
): Awaitable<Outcome> {
  if (endpoint.method === "GET") {
    const payload = checkPayload(endpoint.schema, decodeParameters(parameters));
    return "rejection" in payload ? payload : runOnce(settings, incoming, endpoint, proof, payload.input, undefined);
  }
  if (!isJson(incoming.rawHeaders)) return refuseRequest("unsupported_media_type");
  return after<ReceivedBody, Outcome>(body ?? incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs), (received) => {
    const parsed = parseJson(received);
    if ("rejection" in parsed) return parsed;
    const payload = checkPayload(endpoint.schema, parsed.value);
    return "rejection" in payload ? payload : runOnce(settings, incoming, endpoint, proof, payload.input, received);
  });
}

function runOnce<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  endpoint: HandledEndpoint,
  proof: Proof,
  input: unknown,
  body: ReceivedBody | undefined,
): Awaitable<Outcome> {
  const { handlers, handlerTimeoutMs } = settings;
  const run = new HandlerRun(incoming, proof);
  return handleOnce(settings, endpoint.name, neededReceipts(settings, proof, { incoming, endpoint, input, body }), () =>
    runHandler((context) => endpoint.handle(handlers, input, context), run, endpoint.name, handlerTimeoutMs),
  );
}
