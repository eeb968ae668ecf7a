import { createDedupeKeys } from "../deduplication/dedupe-keys.ts";
import { deduplicate } from "../deduplication/deduplicate.ts";
import { findRoute, hasHandler, type Route } from "../endpoints/endpoints.ts";
import type { TraceContext } from "../endpoints/events.ts";
import { readInput } from "../endpoints/read-input.ts";
import { InternalError, type UnavailableError } from "../errors/errors.ts";
import { createRejection } from "../http/rejected.ts";
import type { IncomingRequest } from "../http/request.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { verifySignature } from "../signature/verify-signature.ts";
import { type Outcome, toOutcome } from "./outcome.ts";
import { runHandler } from "./run-handler.ts";
import type { ReceiverSettings } from "./settings.ts";
import { RequestTrace } from "./trace-request.ts";

/** Handles one webhook. @returns undefined for a path that belongs to no webhook; never rejects */
export async function receive<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingRequest<Incoming>,
): Promise<WebhookResponse | undefined> {
  const route = findRoute(incoming.path);
  if (!route) return undefined;
  const { tracer, observer } = settings;
  const { endpoint } = route;
  const trace =
    tracer &&
    new RequestTrace(tracer, endpoint, incoming.method, (cause) =>
      observer.reportFailure(wrapTracerError(cause), endpoint.name),
    );
  const outcome = await handle(settings, incoming, route, trace);
  trace?.end(outcome);
  observer.reportOutcome(outcome, endpoint.name, incoming.target);
  return outcome.response;
}

async function handle<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingRequest<Incoming>,
  route: Route,
  trace: RequestTrace | undefined,
): Promise<Outcome> {
  const { endpoint } = route;
  const { handlers, observer } = settings;
  try {
    const isDropped = endpoint.handler !== undefined && !hasHandler(endpoint, handlers);
    if (isDropped && !endpoint.isOptional)
      throw createRejection("handler_not_configured", { advice: `Pass its handler: ${endpoint.handler}.` });
    requireMethod(route, incoming.method);
    if (endpoint.kind === "test") return { response: acknowledged, duplicate: false };
    const request = await verifySignature(settings, incoming);
    observer.reportVerified(request.verified, endpoint.name, incoming.target);
    trace?.readSender(incoming.rawHeaders);
    const { input, converted, body } = await readInput(settings, incoming, route, request);
    if (isDropped) return { response: acknowledged, dropped: endpoint.handler };
    observer.reportConversions(converted, endpoint.name);
    const entity = "entityKey" in endpoint ? endpoint.entityKey?.(input) : undefined;
    const event = endpoint.kind === "event" ? { incoming, body, entity } : undefined;
    const keys = createDedupeKeys(settings, request, event);
    const report = (error: UnavailableError) => observer.reportFailure(error, endpoint.name);
    const run = (traceContext?: TraceContext) =>
      runHandler(settings, endpoint, input, incoming, request, keys.messageKey, traceContext);
    return await deduplicate(settings, keys, report, trace ? () => trace.runInSpan(run) : run);
  } catch (cause) {
    return toOutcome(cause);
  }
}

/** @throws {Rejected} `method_not_allowed` */
function requireMethod({ methods }: Route, method: string): void {
  if (!methods.includes(method))
    throw createRejection("method_not_allowed", {
      headers: { allow: methods.join(", ") },
      advice: `It allows ${methods.join(" and ")}.`,
    });
}

const wrapTracerError = (cause: unknown): InternalError =>
  new InternalError("tracer_failed", "The tracer threw; see this error's cause. The response is not affected.", {
    cause,
  });
