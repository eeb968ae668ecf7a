import { type DestinationStream, type Logger, pino } from "pino";

/** Redaction removes these fields from every line, in case code logs them by mistake. */
const neverLogged = new Set(
  ["authorization", "baseAddress", "body", "cookie", "data", "emailAddress", "headers", "key", "message", "name"]
    .concat(["password", "secret", "stack", "title", "to", "token", "url"])
    .map((field) => field.toLowerCase()),
);

/** Creates a structured log with JSON lines. For an error, only its `errorFields` are logged. */
export function createLog(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const hooks = {
    // Without a message, pino would log the error message.
    logMethod(this: Logger, [first, message, ...rest]: Parameters<pino.LogFn>, method: pino.LogFn) {
      // A database error's own properties, such as `detail`, quote row values. Pino would log them.
      const fields: unknown = first instanceof Error ? { err: first } : first;
      // `fields` may be a string or undefined, so convert it to an object before reading its field.
      const hasError = Object(fields).err instanceof Error;
      method.call(this, fields, message ?? (hasError ? "failed" : undefined), ...rest);
    },
  };
  // Pino's own `redact` option needs a path for each field, which is slow.
  return pino({ level, base: null, serializers: { err: errorOnly }, formatters: { log: redact }, hooks }, destination);
}

const errorOnly = (error: unknown): unknown => errorFields(error);

function redact(fields: object): Record<string, unknown> {
  const loggable: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(fields))
    if (!neverLogged.has(field.toLowerCase())) loggable[field] = isPlainObject(value) ? redact(value) : value;
  return loggable;
}

const isPlainObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Matches a stack frame. */
const stackFrame = /^\s+at .*:\d+:\d+\)?$/;

/**
 * Returns the fields of an error that are safe to log: its name, code, stack frames and causes. Omits messages and other properties,
 * because database errors quote row values in them. For a value that is not an error, returns only its type.
 */
export function errorFields(error: unknown, maxCauses = 5): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  // Remove the message from the start of the stack, because its lines may look like frames.
  const frames = (error.stack ?? "")
    .replace(error.message, () => "")
    .split("\n")
    .filter((line) => stackFrame.test(line));
  const cause = error.cause === undefined || maxCauses === 0 ? undefined : errorFields(error.cause, maxCauses - 1);
  return { error: error.name, code, at: frames.map((line) => line.trim()), cause };
}
