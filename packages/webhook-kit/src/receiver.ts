import { type Answer, acknowledged } from "./answer.ts";
import { checkRequest } from "./check-request.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { bodyTimeoutMs } from "./generated/decisions.ts";
import { handleOnce } from "./handle-once.ts";
import { startRun } from "./handler-context.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { ReceiverSettings } from "./options.ts";
import { asOwnError } from "./own-error.ts";
import { checkPayload, isJson, parseJson } from "./payload.ts";
import { keepMs, receiptKey } from "./receipt-key.ts";
import { failureAnswer, type Refusal, refuseRequest } from "./refusal.ts";
import { decodeParameters, findRoute, type Route } from "./route.ts";
import { runHandler } from "./run-handler.ts";

/** Answers one webhook; undefined when the path is none of ours. Never rejects: every fault has its answer. */
export async function receive<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
): Promise<Answer | undefined> {
  const route = findRoute(incoming.path);
  if (!route) return undefined;
  const { name } = route.endpoint;
  try {
    const outcome = await answerRoute(settings, incoming, route);
    if (!("rejection" in outcome)) return outcome;
    settings.observer.rejected({ ...outcome.rejection, endpoint: name });
    return outcome.answer;
  } catch (cause) {
    const error = asOwnError(cause);
    settings.observer.failed(error, name);
    return failureAnswer(error);
  }
}

async function answerRoute<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  { endpoint, parameters }: Route,
): Promise<Answer | Refusal> {
  const isHandled = endpoint.kind === "event" || endpoint.kind === "request";
  if (isHandled && !endpoint.isMounted(settings.handlers)) return refuseRequest("endpoint_not_mounted");
  const allowed = methodsOf(endpoint);
  if (!allowed.includes(incoming.method))
    return refuseRequest("method_not_allowed", { headers: { allow: allowed.join(", ") } });
  if (endpoint.kind === "test") return acknowledged;

  const checked = await checkRequest(settings, incoming);
  if ("rejection" in checked) return checked;
  if (!isHandled) return acknowledged;

  const { proof } = checked;
  let body: ReceivedBody | undefined = checked.body;
  let value: unknown = decodeParameters(parameters);
  if (endpoint.method === "POST") {
    if (!isJson(incoming.rawHeaders)) return refuseRequest("unsupported_media_type");
    body ??= await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    const parsed = parseJson(body);
    if ("rejection" in parsed) return parsed;
    value = parsed.value;
  }
  const payload = checkPayload(endpoint.schema, value);
  if ("rejection" in payload) return payload;

  const { handlers, handlerTimeoutMs, observer, toleranceMs } = settings;
  const { name } = endpoint;
  const run = startRun(incoming, proof);
  const start = () =>
    runHandler((context) => endpoint.handle(handlers, payload.input, context), run, name, handlerTimeoutMs);
  if (endpoint.kind === "event") {
    const receipt = { key: receiptKey(settings, incoming, proof, body), keepMs: keepMs(proof, toleranceMs) };
    return handleOnce(settings, name, receipt, start);
  }
  const answer = await start().answer;
  observer.handled(name, false);
  return answer;
}

/** Express runs GET handlers for HEAD; only the endpoint that does nothing may be asked so (D-46). */
const methodsOf = ({ kind, method }: Endpoint): string[] => (kind === "test" ? [method, "HEAD"] : [method]);
