import { ConfigurationError } from "../errors/errors.ts";
import { describeUnknownOption } from "../errors/option-names.ts";
import { isThenable } from "../http/timeouts.ts";
import type { ReceiverOptions } from "./options.ts";

/** Returns what is wrong with a value, as the end of a sentence that starts with the option's name; undefined if the value is valid. */
type Check = (value: unknown) => string | undefined;

/** Creates a check. @param expected completes "X must be …" */
const mustBe =
  (expected: string, isValid: (value: unknown) => boolean): Check =>
  (value) =>
    isValid(value) ? undefined : `must be ${expected}; it is ${describeValue(value)}.`;

/** Describes a value without showing it, because it may be a misplaced secret. Shows a number, because its type alone would not help. */
const describeValue = (value: unknown): string => (typeof value === "number" ? String(value) : describeType(value));

const numberFrom = (min: number, max: number) =>
  mustBe(`a number from ${min} to ${max}`, (value) => typeof value === "number" && value >= min && value <= max);

const integerFrom = (min: number, max: number) =>
  mustBe(
    `an integer from ${min} to ${max}`,
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
  );

const isFunction = (value: unknown): boolean => typeof value === "function";
const mustBeFunction = mustBe("a function", isFunction);

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function mustBeObjectWith(methods: readonly string[], example: string): Check {
  const expected = `must be an object with the functions ${methods.join(", ")}, such as ${example}`;
  return (value) => {
    if (isFunction(value)) return `${expected}; it is a function that was not called.`;
    if (!isObject(value)) return `${expected}; it is ${describeType(value)}.`;
    const hasAll = methods.every((name) => isFunction(Reflect.get(value, name)));
    return hasAll ? undefined : `${expected}; it is an object without them.`;
  };
}

const mustBeScheme = mustBeObjectWith(["sign", "parse", "verify"], "timestampDigest()");
const mustBeStore = mustBeObjectWith(["acquire", "complete", "release"], "memoryDeduplication()");
const replayModes = ["deduplicate", "single-use-signature"];

const unchecked: Check = () => undefined;

/** The checks for the options of every entry point. An option without a check is a type error. */
const checks: ReadonlyMap<string, Check> = new Map(
  Object.entries({
    basePath: unchecked, // checked by readBasePath
    secret: unchecked, // checked by createSecretLookup, with codes for secrets
    allowShortSecret: mustBe("true or false", (value) => typeof value === "boolean"),
    scheme(value) {
      const { name, wwwAuthenticate } = Object(value);
      const isComplete = typeof name === "string" && /^[\x20-\x7e]+$/.test(wwwAuthenticate);
      return (
        mustBeScheme(value) ??
        (isComplete ? undefined : "must have a name, and a wwwAuthenticate that is a valid HTTP header value.")
      );
    },
    toleranceSeconds: numberFrom(0, 86_400),
    maxBodyBytes: integerFrom(1, 104_857_600),
    handlerTimeoutMs: integerFrom(1, 600_000),
    deduplication: (value) => (value === false ? undefined : mustBeStore(value)),
    replayProtection(value) {
      if (replayModes.some((mode) => mode === value)) return undefined;
      const actual = typeof value === "string" ? "an unknown string" : describeValue(value);
      return `must be one of: ${replayModes.join(", ")}; it is ${actual}.`;
    },
    tracer: mustBeObjectWith(["startActiveSpan"], "OpenTelemetry's trace.getTracer()"),
    logger: mustBeObjectWith(["info", "warn", "error"], "pino()"),
    now: mustBeFunction,
    onVerified: mustBeFunction,
    onRejected: mustBeFunction,
    onError: mustBeFunction,
    onWorkerAddedContact: mustBeFunction,
    suggestContacts: mustBeFunction,
    onWorkerOfferResponse: mustBeFunction,
    onOfferEventDeleted: mustBeFunction,
    onTimelineChanged: mustBeFunction,
    onEvent: mustBeFunction,
  } satisfies Record<keyof ReceiverOptions | "basePath", Check>),
);

/**
 * Rejects unknown option names, wrong types, values out of range, and options that contradict each other.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function checkOptions(options: object): void {
  const problem = findProblem(options);
  if (problem !== undefined) throw new ConfigurationError("invalid_option", problem);
}

function findProblem(options: unknown): string | undefined {
  if (!isObject(options) || Array.isArray(options))
    return "Pass an options object with at least `secret`, such as { secret: process.env.WEBHOOK_SECRET }.";
  // Report unknown names first, because a misspelt name may be the reason why another option is missing.
  for (const name in options) if (!checks.has(name)) return describeUnknownOption(name, [...checks.keys()]);
  for (const [name, check] of checks) {
    const value = Reflect.get(options, name);
    const problem = value === undefined ? undefined : check(value);
    if (problem !== undefined) return `${name} ${problem}`;
  }
  const { replayProtection, deduplication } = options as ReceiverOptions;
  if (replayProtection === "single-use-signature" && deduplication === false)
    return 'replayProtection "single-use-signature" needs deduplication to record signatures; remove `deduplication: false`.';
  return undefined;
}

/** Describes a value for a message that must not repeat it. */
function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (isThenable(value)) return "a promise; await it";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
