import { type Answer, acknowledged } from "./answer.ts";
import { checkRequest } from "./check-request.ts";
import type { Proof } from "./check-signature.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { bodyTimeoutMs } from "./generated/decisions.ts";
import { handleOnce, type NeededReceipt } from "./handle-once.ts";
import { HandlerRun } from "./handler-run.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { ReceiverSettings } from "./options.ts";
import type { Failure, Outcome } from "./outcome.ts";
import { asOwnError } from "./own-error.ts";
import { checkPayload, isJson, parseJson } from "./payload.ts";
import { keepMs, requestKey, signatureKey, subjectKey } from "./receipt-key.ts";
import { failureAnswer, refuseRequest, refuseSignature } from "./refusal.ts";
import { decodeParameters, findRoute, type Route } from "./route.ts";
import { type RunningHandler, runHandler } from "./run-handler.ts";
import { traceRequest } from "./trace-request.ts";

/** Answers one webhook; undefined when the path is none of ours. Never rejects: every fault has its answer. */
export async function receive<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
): Promise<Answer | undefined> {
  const route = findRoute(incoming.path);
  if (!route) return undefined;
  const { tracer, observer } = settings;
  const run = () => answerRoute(settings, incoming, route);
  const outcome = tracer ? await traceRequest(tracer, route.endpoint, incoming.method, run) : await run();
  observer.ended(outcome, route.endpoint.name);
  return outcome.answer;
}

async function answerRoute<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  route: Route,
): Promise<Outcome | Failure> {
  try {
    return await checkAndHandle(settings, incoming, route);
  } catch (cause) {
    const error = asOwnError(cause);
    return { answer: failureAnswer(error), error };
  }
}

async function checkAndHandle<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  { endpoint, parameters }: Route,
): Promise<Outcome> {
  const isHandled = endpoint.kind === "event" || endpoint.kind === "request";
  if (isHandled && !endpoint.isMounted(settings.handlers)) return refuseRequest("endpoint_not_mounted");
  const allowed = methodsOf(endpoint);
  if (!allowed.includes(incoming.method))
    return refuseRequest("method_not_allowed", { headers: { allow: allowed.join(", ") } });
  if (endpoint.kind === "test") return { answer: acknowledged, duplicate: false };

  const checked = await checkRequest(settings, incoming);
  if ("rejection" in checked) return checked;
  const { proof } = checked;
  const once = { needed: bindSignature(settings, proof), keepMs: keepMs(proof, settings.toleranceMs) };
  if (!isHandled) return handleOnce(settings, endpoint.name, once, () => nothingToRun);

  let body: ReceivedBody | undefined = checked.body;
  let value: unknown;
  if (endpoint.method === "POST") {
    if (!isJson(incoming.rawHeaders)) return refuseRequest("unsupported_media_type");
    body ??= await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    const parsed = parseJson(body);
    if ("rejection" in parsed) return parsed;
    value = parsed.value;
  } else value = decodeParameters(parameters);
  const payload = checkPayload(endpoint.schema, value);
  if ("rejection" in payload) return payload;

  if (endpoint.kind === "event") {
    const subject = endpoint.subjectOf && subjectKey(proof, endpoint.name, endpoint.subjectOf(payload.input));
    once.needed.unshift({ key: requestKey(proof, incoming, body), subject });
  }
  const run = new HandlerRun(incoming, proof);
  return handleOnce(settings, endpoint.name, once, () =>
    runHandler(
      (context) => endpoint.handle(settings.handlers, payload.input, context),
      run,
      endpoint.name,
      settings.handlerTimeoutMs,
    ),
  );
}

/** What `/test/auth` does once its headers are proven. */
const nothingToRun: RunningHandler = { answer: acknowledged, outcome: acknowledged };

/** Under `replay: "bind"` a signature is good for one request, whatever it asks (D-58). */
function bindSignature<Incoming>({ replay, scheme }: ReceiverSettings<Incoming>, proof: Proof): NeededReceipt[] {
  if (replay !== "bind") return [];
  return [{ key: signatureKey(proof), refuseTaken: () => refuseSignature(reused, scheme.challenge) }];
}

const reused = {
  reason: "signature_reused",
  message: "The signature came with another request before; does the service sign several within one minute?",
} as const;

/** Express runs GET handlers for HEAD; only the endpoint that does nothing may be asked so (D-46). */
const methodsOf = ({ kind, method }: Endpoint): string[] => (kind === "test" ? [method, "HEAD"] : [method]);
