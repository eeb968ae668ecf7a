import type { Scheme } from "../corpus/scheme.ts";
import { exchange } from "../exchange/exchange.ts";
import { readUrl } from "../exchange/read-url.ts";
import { showRequest, showResponse } from "../report/show-exchange.ts";
import { toCommand } from "../report/to-command.ts";
import { maskSecrets } from "../terminal/mask-secrets.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { styleFor } from "../terminal/style.ts";
import { UsageError } from "../terminal/usage-error.ts";
import { findEvent } from "./events.ts";
import { setFields } from "./set-fields.ts";
import { writeWebhook } from "./write-webhook.ts";

export interface TriggerOptions {
  to: string;
  set: string[];
  scheme: Scheme;
  secretFile?: string;
  timeoutMs: number;
  json?: true;
}

/** Sends one webhook and prints the exchange. @returns the exit code: 0 if the receiver acknowledged it, which only 200 does */
export async function trigger(name: string, options: TriggerOptions): Promise<number> {
  const event = findEvent(name);
  const fields = setFields(event, options.set);
  const to = readUrl(options.to);
  const secret = event.isUnsigned ? "" : await readSecret(options.scheme, options.secretFile);
  const bytes = writeWebhook({ event, fields, to, scheme: options.scheme, secret, now: new Date() });
  const { responses, error, isTooLarge, isClosed, durationMs } = await exchange(to, bytes, {
    methods: [event.method],
    timeoutMs: options.timeoutMs,
  });
  const [response] = responses;
  if (!response && error !== undefined)
    throw new UsageError(
      `${to.href} cannot be reached (${error}). Start your receiver first, and give the address on which it listens.`,
    );
  const mask = maskSecrets([secret]);
  const isAcknowledged = response?.status === 200;
  if (options.json) {
    const result = { event: name, acknowledged: isAcknowledged, durationMs: Math.round(durationMs) };
    const shown = { request: showRequest(bytes, mask), response: response ? showResponse(response, mask) : null };
    console.log(JSON.stringify({ ...result, status: response?.status ?? null, ...shown }));
    return isAcknowledged ? 0 : 1;
  }
  const style = styleFor(process.stdout);
  const problem = isTooLarge
    ? "The response has more than 4 MiB."
    : response
      ? "Only 200 acknowledges a webhook. The service would retry."
      : isClosed
        ? "The receiver closed the connection without a response. The service would retry."
        : `There was no response within ${options.timeoutMs / 1000} s. The service would retry.`;
  const seconds = `${Math.round(durationMs)} ms`;
  console.log(
    [
      style("bold", "Sent"),
      showRequest(bytes, mask),
      "",
      style("bold", `Received after ${seconds}`),
      showResponse(response, mask),
      "",
      isAcknowledged ? style("green", "The receiver acknowledged it.") : style("red", problem),
      ...(isAcknowledged ? [] : [`Send it again: ${toCommand(bytes, to, mask) ?? ""}`]),
    ].join("\n"),
  );
  return isAcknowledged ? 0 : 1;
}
