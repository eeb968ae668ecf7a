import { styleText } from "node:util";
import type { NotSentReason } from "../push/push-transport.ts";
import type { PushRecord } from "../push/start-push.ts";
import { attemptLabel } from "../routes/pages/deliveries/delivery-labels.ts";
import type { EndpointRecord } from "../webhooks/endpoint-health.ts";
import type { AttemptRecord } from "../webhooks/settle-attempts.ts";
import { demo } from "./demo.ts";

/** Writes events to standard output, either as readable text or as one JSON object per line. */
export interface Printer {
  /** Prints a line from the log. */
  write(line: string): void;
  started(sandbox: StartedSandbox): void;
  /** Prints the outcome of `--webhooks-to` or `--example`. */
  note(event: string, fields: Record<string, unknown>, text: string, isSuccess: boolean): void;
}

const print = (text: string): boolean => process.stdout.write(`${text}\n`);

/** Prints the lines of the log unchanged, and the sandbox's own lines in the same format. */
export const jsonPrinter: Printer = {
  write: (line) => void process.stdout.write(line),
  started: (sandbox) => printJson("sandbox.started", { ...sandbox, ...demo }),
  note: (event, fields) => printJson(event, fields),
};

const printJson = (msg: string, fields: object): void =>
  void print(JSON.stringify({ time: Date.now(), ...fields, msg }));

/** Creates a printer for people. It omits the lines of the log for which `toReadableLine` returns undefined. */
export function createReadablePrinter(): Printer {
  let address = "";
  return {
    write(line) {
      const readable = toReadableLine(JSON.parse(line) as LogLine, address);
      // `styleText` omits colour if NO_COLOR is set or the output is not a terminal.
      if (readable) print(styleText(readable.colour, readable.text, { stream: process.stdout }));
    },
    started(sandbox) {
      address = sandbox.address;
      print(formatStartLines(sandbox));
    },
    note: (_event, _fields, text, isSuccess) =>
      void print(styleText(isSuccess ? "green" : "red", text, { stream: process.stdout })),
  };
}

/** A parsed line from the log. */
export type LogLine = { level: number; time: number; msg?: string } & Record<string, unknown>;

/** Fields after they were logged as JSON, where dates are strings. */
type Logged<Fields> = { [Field in keyof Fields]: Fields[Field] extends Date | undefined ? string : Fields[Field] };

type Colour = "green" | "yellow" | "red" | "dim";

export interface ReadableLine {
  text: string;
  colour: Colour;
}

const outcomeLabels: Record<AttemptRecord["outcome"], [word: string, colour: Colour]> = {
  acknowledged: ["delivered", "green"],
  retry: ["will retry", "yellow"],
  dead: ["failed", "red"],
  not_implemented: ["ignored", "dim"],
  held: ["held", "red"],
};

const pinoWarning = 40;

/** Formats a log line about a delivery, a push, the endpoint's health, the shutdown, a warning or an error. @returns undefined for other lines */
export function toReadableLine(line: LogLine, address: string): ReadableLine | undefined {
  const readable = formatLine(line, address);
  return readable && { ...readable, text: `${formatClock(line.time)} ${readable.text}` };
}

function formatLine(line: LogLine, address: string): ReadableLine | undefined {
  switch (line.msg) {
    case "delivery.attempted":
      return formatDeliveryLine(line as unknown as Logged<AttemptRecord>, address);
    case "push.attempted":
      return formatPushLine(line as unknown as PushRecord);
    case "endpoint.changed":
      return formatEndpointLine(line as unknown as EndpointRecord, address);
    case "platform stopping":
      return { text: "stopping", colour: "dim" };
  }
  if (line.level < pinoWarning) return undefined;
  const { level, time, msg, ...fields } = line;
  return { text: `${msg ?? "error"} ${JSON.stringify(fields)}`, colour: "red" };
}

function formatDeliveryLine(attempt: Logged<AttemptRecord>, address: string): ReadableLine {
  const { type, method, path, number, outcome, status, failure, durationMs, deliveryId, nextAttemptAt } = attempt;
  const [word, colour] = outcomeLabels[outcome];
  const result = attemptLabel({ status: status ?? null, error: failure ?? null });
  const parts = [`${word.padEnd(10)} ${type} ${method} ${path}: ${result}, ${durationMs} ms`];
  if (number > 1 || outcome !== "acknowledged") parts.push(`attempt ${number}`);
  if (nextAttemptAt !== undefined) parts.push(`next at ${formatClock(nextAttemptAt)}`);
  if (outcome === "dead") parts.push(`no more attempts; redeliver it at ${address}/deliveries/${deliveryId}`);
  return { text: parts.join(", "), colour };
}

const pushLabels: Record<PushRecord["outcome"], [word: string, colour: Colour]> = {
  sent: ["pushed", "green"],
  not_sent: ["not pushed", "dim"],
  retry: ["will retry", "yellow"],
  failed: ["failed", "red"],
};

const notPushedReasons: Record<NotSentReason, string> = {
  no_device: "the worker has no device",
  no_token: "the device has no token",
  no_push_service: "set OFFERS_FCM_CREDENTIALS to push",
  unregistered: "the app was removed from the device",
};

function formatPushLine({ outcome, because, reason, platform, offerId, number }: PushRecord): ReadableLine {
  const [word, colour] = pushLabels[outcome];
  const parts = [`${word.padEnd(10)} ${reason}${platform === null ? "" : ` to ${platform}`}: ${offerId}`];
  if (number > 1) parts.push(`attempt ${number}`);
  if (because !== undefined) parts.push(`only in the app's menu; ${notPushedReasons[because]}`);
  return { text: parts.join(", "), colour };
}

function formatEndpointLine(record: EndpointRecord, address: string): ReadableLine {
  switch (record.change) {
    case "paused":
      return {
        text: `paused     ${record.consecutiveFailures} attempts in a row failed; deliveries wait until ${formatClock(record.until)}`,
        colour: "red",
      };
    case "resumed":
      return { text: "resumed    an attempt was acknowledged; deliveries resume", colour: "green" };
    case "disabled":
      return {
        text: `disabled   the endpoint is disabled (${record.because}); enable it at ${address}/company`,
        colour: "red",
      };
  }
}

const formatClock = (time: number | string | Date): string => new Date(time).toTimeString().slice(0, 8);

/** The data that a program needs to use the sandbox. With `--json`, it is printed as the first line. */
interface StartedSandbox {
  address: string;
  /** The store's label, such as `PGlite in /home/ann/.cache/offers-sandbox`. */
  store: string;
  dialect: string;
}

/** Formats the lines that the sandbox prints once it has started. */
const formatStartLines = ({ address, store, dialect }: StartedSandbox): string => `\
sandbox listening on ${address} (store ${store}${dialect === "live" ? ", live dialect" : ""})

  Console       ${address}/docs
  API key       ${demo.apiKey}
  Portal        ${address}/
                ${demo.emailAddress}, password ${demo.password}
  Worker's app  ${address}/app
                ${demo.workerIds.join(" or ")}, password ${demo.password}

Create an offer:

  curl -i ${address}/offer \\
    -H 'X-UE-Api-Subscription-Key: ${demo.apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{"createdByUserId":"${demo.userId}","title":"Kitchen help","workerIds":${JSON.stringify(demo.workerIds)}}'

Each webhook delivery and push notification is printed below. Press Ctrl+C to stop the sandbox.
`;
