import { randomUUID } from "node:crypto";
import { endpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import { maskSecrets, styleFor, UsageError } from "../terminal/output.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { type Exchange, exchange } from "../wire/exchange.ts";
import { explainFailure, readUrl } from "../wire/receiver-url.ts";
import { showRequest, showResponse, toCommand } from "../wire/show-exchange.ts";
import { findEvent, setFields, type TriggerEvent } from "./events.ts";
import { fillEvent, writeWebhook } from "./write-webhook.ts";

export interface TriggerOptions {
  to: string;
  set?: string[];
  scheme: Scheme;
  secretFile?: string;
  timeout?: number;
  json?: true;
}

/** Sends one webhook and prints the exchange. @returns the exit code: 0 if the receiver acknowledged it, which only 200 does */
export async function trigger(name: string, { to: address, set = [], scheme, ...options }: TriggerOptions) {
  const event = findEvent(name);
  const fields = setFields(event, set);
  const to = readUrl(address);
  const secret = event.isUnsigned ? "" : await readSecret(scheme, options.secretFile);
  const bytes = writeWebhook(fillEvent(event, fields, `delivery_${randomUUID()}`), to, { scheme, secret });
  // As long as the service waits (D-25).
  const timeoutMs = options.timeout ?? (event.isRequest ? 5_000 : 15_000);
  const received = await exchange(to, bytes, { methods: [event.method], timeoutMs });
  const { error, durationMs } = received;
  const [response] = received.responses;
  if (!response && error !== undefined) throw new UsageError(explainFailure(to, error));
  const mask = maskSecrets([secret]);
  const isAcknowledged = response?.status === 200;
  if (options.json)
    console.log(
      JSON.stringify({
        event: name,
        acknowledged: isAcknowledged,
        durationMs: Math.round(durationMs),
        status: response?.status ?? null,
        request: showRequest(bytes, mask),
        response: response ? showResponse(response, mask) : null,
      }),
    );
  else {
    const style = styleFor(process.stdout);
    const outcome = describeOutcome(event, received, timeoutMs);
    const lines = [
      style("bold", "Sent"),
      showRequest(bytes, mask),
      "",
      style("bold", `Received after ${Math.round(durationMs)} ms`),
      showResponse(response, mask),
      "",
      style(isAcknowledged ? "green" : "red", outcome),
    ];
    if (!isAcknowledged) lines.push(`Send it again: ${toCommand(bytes, to, mask) ?? ""}`);
    console.log(lines.join("\n"));
  }
  return isAcknowledged ? 0 : 1;
}

/** What the service makes of the response: it retries events, and makes requests once (D-26). */
function describeOutcome(
  { isRequest, name, path }: TriggerEvent,
  { responses, isClosed, isTooLarge }: Exchange,
  timeoutMs: number,
): string {
  const [response] = responses;
  if (response?.status === 200) return isRequest ? "The receiver responded with 200." : "The receiver acknowledged it.";
  const consequence = !isRequest
    ? "The service would retry."
    : name === "contact-suggestions"
      ? "The service would not retry: the hirer sees no suggestions of this organisation."
      : "The service would not retry, and would not save the address on the company profile.";
  if (isTooLarge) return `The response has more than 4 MiB. ${consequence}`;
  if (response) {
    const { advice } = endpointProblem(path, response.status);
    return `${isRequest ? "Only 200 is a success" : "Only 200 acknowledges an event"}${advice}. ${consequence}`;
  }
  if (isClosed) return `The receiver closed the connection without a response. ${consequence}`;
  return `There was no response within ${timeoutMs / 1000} s. ${consequence}`;
}
