import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { endpointProblem } from "@offers/contract/endpoint-problem";
import type { Scheme } from "../signature/sign-request.ts";
import {
  type Mask,
  maskSecrets,
  printable,
  type Style,
  styleFor,
  UsageError,
  widthOf,
  wrapText,
} from "../terminal/output.ts";
import { readSecret } from "../terminal/read-secret.ts";
import { readUrl } from "../wire/receiver-url.ts";
import { type Arrival, createListener } from "./listener.ts";

export interface ListenOptions {
  port: number;
  host: string;
  forwardTo?: string;
  scheme: Scheme;
  secretFile?: string;
  timeout: number;
  json?: true;
}

/** Listens until Ctrl+C. @returns the exit code */
export async function listen({ port: wanted, host, scheme, ...options }: ListenOptions): Promise<number> {
  const forwardTo = options.forwardTo === undefined ? undefined : readUrl(options.forwardTo);
  const secret = await readSecret(scheme, options.secretFile);
  const mask = maskSecrets([secret]);
  const style = styleFor(process.stdout);
  const server = createListener({
    scheme,
    secret,
    forwardTo,
    timeoutMs: options.timeout,
    onArrival: (arrival) =>
      console.log(
        options.json ? toJsonLine(arrival, mask) : showArrival(arrival, mask, style, widthOf(process.stdout)),
      ),
  });
  server.listen(wanted, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new UsageError(`Port ${wanted} of ${host} cannot be used (${code}). Choose another one with --port.`);
  }
  const { port } = server.address() as AddressInfo;
  const address = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const destination = forwardTo ? `, forwarding to ${forwardTo.href}` : "";
  // Not among the lines for a program.
  console.error(`Listening on ${address}${destination}. Stop with Ctrl+C.`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  server.close();
  server.closeAllConnections();
  return 0;
}

const maxBodyShown = 2_000;

/** One request for a person: a line with the time of day, the reason of a refusal, and the body. */
export function showArrival(arrival: Arrival, mask: Mask, style: Style, width: number): string {
  const { arrivedAt, method, target, status, verification, durationMs, failure, forwardedTo, body } = arrival;
  const isAccepted = status >= 200 && status < 300;
  const time = style("dim", arrivedAt.toTimeString().slice(0, 8));
  const request = style("bold", `${method} ${printable(mask(target)).slice(0, 200)}`);
  const response = style(isAccepted ? "green" : "red", String(status));
  const duration = style("dim", `${Math.round(durationMs)} ms`);
  const lines = [`${time}  ${request}  ${response}  ${describe(arrival, style)}  ${duration}`];
  const explain = (text: string) => lines.push(wrapText(printable(mask(text)), "  ", width));
  if (verification && !verification.ok) explain(verification.advice);
  if (failure !== undefined) explain(failure);
  if (forwardedTo !== undefined && !isAccepted) {
    // A receiver is right to reject a request that does not verify here either.
    const isExpected = failure !== undefined || verification?.ok === false;
    const advice = isExpected ? "" : endpointProblem(target.split("?")[0] ?? "", status).advice;
    explain(`forwarded to ${forwardedTo}${advice}`);
  }
  if (body.length > 0) lines.push(showBody(body, mask, width));
  return lines.join("\n");
}

function describe({ verification }: Arrival, style: Style): string {
  if (!verification) return style("dim", "not signed, as GET /test is");
  if (!verification.ok) return style("red", `refused: ${verification.reason}`);
  return style("green", `verified: ${verification.variant}, ${verification.ageSeconds.toFixed(1)} s old`);
}

function showBody(body: Buffer, mask: Mask, width: number): string {
  const text = mask(body.subarray(0, maxBodyShown * 4).toString());
  const shown = printable(indentJson(text)).slice(0, maxBodyShown).split("\n");
  if (body.length > maxBodyShown) shown.push(`… ${body.length.toLocaleString("en")} bytes in all`);
  return shown.map((line) => wrapText(line, "  ", width)).join("\n");
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** One request for a program, in one line. Header values are left out: they hold signatures. */
export function toJsonLine(arrival: Arrival, mask: Mask): string {
  const { arrivedAt, method, target, status, verification = null, durationMs, failure, forwardedTo, body } = arrival;
  return JSON.stringify({
    time: arrivedAt.toISOString(),
    method,
    target: mask(target),
    status,
    durationMs: Math.round(durationMs),
    verification,
    failure,
    forwardedTo: forwardedTo && mask(forwardedTo),
    body: mask(body.toString()),
  });
}
