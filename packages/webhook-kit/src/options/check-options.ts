import * as z from "zod";
import { ConfigurationError } from "../errors/errors.ts";
import { unknownOption } from "../errors/option-names.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import type { ReceiverOptions } from "./options.ts";

/** An optional value that `isRight`. @param expected completes "X must be …" */
const mustBe = (expected: string, isRight: (value: unknown) => boolean) =>
  z.custom(isRight, { error: ({ input }) => `must be ${expected}; it is ${inWords(input)}.` }).optional();

/** Never the value itself, which may be a secret in the wrong place; a number says more than its type. */
const inWords = (value: unknown): string => (typeof value === "number" ? String(value) : typeInWords(value));

const number = (least: number, most: number) =>
  mustBe(`a number from ${least} to ${most}`, (value) => typeof value === "number" && value >= least && value <= most);

const wholeNumber = (least: number, most: number) =>
  mustBe(
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  );

const isFunction = (value: unknown): boolean => typeof value === "function";
const aFunction = mustBe("a function", isFunction);

const has = (value: unknown, methods: readonly string[]): boolean =>
  typeof value === "object" && value !== null && methods.every((name) => isFunction(Reflect.get(value, name)));

function objectWith<T>(methods: readonly string[], example: string, isRight = (value: unknown) => has(value, methods)) {
  const expected = `must be an object with the functions ${methods.join(", ")}, such as ${example}`;
  const given = (value: unknown): string => {
    if (isFunction(value)) return "a function that was not called";
    return typeof value === "object" && value !== null ? "an object without them" : typeInWords(value);
  };
  return z.custom<T>(isRight, { error: ({ input }) => `${expected}; it is ${given(input)}.` });
}

const storeMethods = ["acquire", "complete", "release"];
const replayModes = ["deduplicate", "single-use-signature"];

/** Every option of every entry: one that is added to the types fails the type check until it is here. */
const shape = {
  basePath: z.unknown().optional(), // checked by readBasePath
  secret: z.unknown().optional(), // checked by readSecret, under codes of its own
  allowShortSecret: mustBe("true or false", (value) => typeof value === "boolean"),
  scheme: objectWith<SignatureScheme>(["sign", "parse", "verify"], "timestampDigest()")
    .refine(({ name, wwwAuthenticate }) => typeof name === "string" && /^[\x20-\x7e]+$/.test(wwwAuthenticate), {
      error: "must have a name, and a wwwAuthenticate that is a valid HTTP header value.",
    })
    .optional(),
  toleranceSeconds: number(0, 86_400),
  maxBodyBytes: wholeNumber(1, 104_857_600),
  handlerTimeoutMs: wholeNumber(1, 600_000),
  deduplication: objectWith(
    storeMethods,
    "memoryDeduplication()",
    (value) => value === false || has(value, storeMethods),
  ).optional(),
  replayProtection: z
    .enum(replayModes, {
      error: ({ input }) =>
        `must be one of: ${replayModes.join(", ")}; it is ${typeof input === "string" ? "another word" : inWords(input)}.`,
    })
    .optional(),
  tracer: objectWith(["startActiveSpan"], "OpenTelemetry's trace.getTracer()").optional(),
  logger: objectWith(["info", "warn", "error"], "pino()").optional(),
  now: aFunction,
  onVerified: aFunction,
  onRejected: aFunction,
  onError: aFunction,
  onWorkerAddedContact: aFunction,
  suggestContacts: aFunction,
  onWorkerOfferResponse: aFunction,
  onOfferEventDeleted: aFunction,
  onTimelineChanged: aFunction,
  onEvent: aFunction,
} satisfies Record<keyof ReceiverOptions | "basePath", z.ZodType>;

const schema = z
  .strictObject(shape, {
    error: ({ code }) =>
      code === "invalid_type"
        ? "Pass an options object with at least `secret`, such as { secret: process.env.WEBHOOK_SECRET }."
        : undefined,
  })
  .refine(
    ({ replayProtection, deduplication }) => replayProtection !== "single-use-signature" || deduplication !== false,
    {
      path: ["replayProtection"],
      error: '"single-use-signature" needs deduplication to record signatures; leave out `deduplication: false`.',
    },
  );

/**
 * Unknown option names, wrong types and values out of range.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function checkOptions(options: object): void {
  const { issues = [] } = schema.safeParse(options).error ?? {};
  // A misspelt name first: it may be why another option is missing.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue) throw new ConfigurationError("invalid_option", describe(issue));
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys") return [...issue.path, issue.message].join(" ");
  return unknownOption(issue.keys[0] ?? "", Object.keys(shape));
}

/** What a value is, for a message that must not repeat it. */
function typeInWords(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Promise) return "a promise; await it";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
