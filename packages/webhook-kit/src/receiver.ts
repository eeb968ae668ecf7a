import { type Answer, acknowledged } from "./answer.ts";
import { openClaim, type Proof, proveClaim } from "./check-signature.ts";
import type { Endpoint, HandledEndpoint } from "./endpoints/endpoint.ts";
import { HandlerError, isWebhookKitError, UnavailableError, type WebhookKitError } from "./errors.ts";
import { bodyTimeoutMs } from "./generated/decisions.ts";
import { startRun } from "./handler-context.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { ReceiverSettings } from "./options.ts";
import { checkPayload, isJson, parseJson } from "./payload.ts";
import { keepMs, receiptKey } from "./receipt-key.ts";
import { failureAnswer, type Refusal, refuseRequest } from "./refusal.ts";
import { decodeParameters, findRoute, type Route } from "./route.ts";
import { runHandler } from "./run-handler.ts";

/** The lease outlasts the handler's time, so that only a process that died lets it run out. */
const leaseMarginMs = 1_000;

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

  const { scheme } = settings;
  const opened = await openClaim(settings, incoming.rawHeaders, incoming.request);
  if ("rejection" in opened) return opened;
  let body: ReceivedBody | undefined;
  if (scheme.coversBody) {
    body = await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    if (body.kind === "refused") return refuseRequest(body.reason);
    if (body.kind !== "bytes") parseJson({ kind: "consumed" });
  }
  const proof = await proveClaim(settings, opened, body?.kind === "bytes" ? body.bytes : undefined);
  if ("rejection" in proof) return proof;
  if (!isHandled) return acknowledged;

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
  if (endpoint.kind === "request") return handle(settings, incoming, endpoint, payload.input, proof);
  return handleOnce(settings, incoming, endpoint, payload.input, proof, body);
}

/** Express runs GET handlers for HEAD; only the endpoint that does nothing may be asked so. */
const methodsOf = ({ kind, method }: Endpoint): string[] => (kind === "test" ? [method, "HEAD"] : [method]);

/** Runs the handler unless an identical request has been acknowledged before. */
async function handleOnce<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  endpoint: HandledEndpoint,
  input: unknown,
  proof: Proof,
  body: ReceivedBody | undefined,
): Promise<Answer | Refusal> {
  const { receipts, handlerTimeoutMs, observer } = settings;
  const key = receiptKey(settings, incoming, proof, body);
  const claim = await claimReceipt(() => receipts.claim(key, { leaseMs: handlerTimeoutMs + leaseMarginMs }));
  if (claim.state === "inFlight") {
    const seconds = Math.max(1, Math.ceil(claim.retryAfterMs / 1000));
    return refuseRequest("already_in_progress", { headers: { "retry-after": String(seconds) } });
  }
  if (claim.state === "done") {
    observer.handled(endpoint.name, true);
    return { ...acknowledged, status: claim.status };
  }
  // What becomes of the receipt does not change the answer: the handler has run, or it has not.
  const settle = async (step: () => unknown) => {
    try {
      await step();
    } catch (cause) {
      observer.failed(new UnavailableError("receipts_failed", "The receipts store threw; see cause.", { cause }));
    }
  };
  let answer: Answer;
  try {
    answer = await handle(settings, incoming, endpoint, input, proof);
  } catch (error) {
    await settle(() => receipts.release(key, claim.token));
    throw error;
  }
  await settle(() => receipts.complete(key, claim.token, answer.status, keepMs(proof, settings.toleranceMs)));
  return answer;
}

async function handle<Incoming>(
  settings: ReceiverSettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  endpoint: HandledEndpoint,
  input: unknown,
  proof: Proof,
): Promise<Answer> {
  const answer = await runHandler(
    (context) => endpoint.handle(settings.handlers, input, context),
    startRun(incoming, proof),
    endpoint.name,
    settings.handlerTimeoutMs,
  );
  settings.observer.handled(endpoint.name, false);
  return answer;
}

async function claimReceipt<T>(claim: () => T | Promise<T>): Promise<T> {
  try {
    return await claim();
  } catch (cause) {
    if (isWebhookKitError(cause)) throw cause;
    throw new UnavailableError("receipts_failed", "The receipts store threw; see cause.", { cause });
  }
}

/** Nothing but our own errors should come here; whatever else does is a fault of the kit and is told as one. */
const asOwnError = (cause: unknown): WebhookKitError =>
  isWebhookKitError(cause)
    ? cause
    : new HandlerError("handler_failed", "Something unforeseen failed while a webhook was received; see cause.", {
        cause,
      });
