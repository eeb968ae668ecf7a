import { join } from "node:path";
import { problemKinds } from "../../examples/platform/src/http/problem.ts";
import { interpretErrorStatus } from "../../packages/client/src/call/read-response.ts";
import { delayBeforeRetry } from "../../packages/client/src/call/retry.ts";
import type { AnyOffersError } from "../../packages/client/src/errors/error-classes.ts";
import { failedVerification, requestProblems } from "../../packages/webhook-kit/src/http/rejected.ts";
import { unavailable } from "../../packages/webhook-kit/src/http/response.ts";
import { readCodesByClass, readUnionMembers } from "./string-literals.ts";

/** A part of the project that uses error codes, named like its file in spec/errors. */
export type ErrorSource = "client" | "webhook-kit" | "rejections" | "platform" | "attempts";

/** One use of an error code, with what the source code reveals about it. */
export interface CodeUse {
  readonly code: string;
  readonly source: ErrorSource;
  /** Sentences about this use of the code. */
  readonly facts: readonly string[];
  readonly status?: number;
  readonly title?: string;
}

const retries = {
  always: "The client retries every operation.",
  ifRepeatable:
    "The client retries reads and withdrawals. It retries creations and completions only with `serviceHonoursIdempotencyKey: true`.",
  after408:
    "After 408, the client retries reads and withdrawals, and with `serviceHonoursIdempotencyKey: true` also creations and completions. It does not retry after any other of these statuses.",
  never: "The client does not retry after this error.",
};

/** Reads every error code of the packages and the platform from their source. */
export const readCodes = (root: string): CodeUse[] => [
  ...readClientCodes(root),
  ...readKitCodes(root),
  ...readRejectionCodes(root),
  ...listPlatformCodes(),
  ...readAttemptCodes(root),
];

const clientSettings = { maxRetryAfterMs: 0, serviceHonoursIdempotencyKey: false };

function readClientCodes(root: string): CodeUse[] {
  const classes = readCodesByClass(join(root, "packages/client/src/errors/error-classes.ts"));
  return classes.flatMap(([className, codes]) =>
    codes.map((code): CodeUse => {
      const isRetried = (method: "GET" | "POST") =>
        delayBeforeRetry({ code } as AnyOffersError, method, clientSettings, 0) !== undefined;
      let rule: keyof typeof retries = "never";
      if (isRetried("POST")) rule = "always";
      else if (isRetried("GET")) rule = "ifRepeatable";
      else if (className === interpretErrorStatus(408)[0].name) rule = "after408";
      return { code, source: "client", facts: [`The error class is \`${className}\`.`, retries[rule]] };
    }),
  );
}

function readKitCodes(root: string): CodeUse[] {
  const classes = readCodesByClass(join(root, "packages/webhook-kit/src/errors/errors.ts"));
  const codes = new Set(classes.flatMap(([, classCodes]) => classCodes));
  return [...codes].map((code) => {
    const names = classes.filter(([, classCodes]) => classCodes.includes(code)).map(([name]) => `\`${name}\``);
    return { code, source: "webhook-kit", facts: [`The error class is ${names.join(" or ")}.`] };
  });
}

function readRejectionCodes(root: string): CodeUse[] {
  const codes = readUnionMembers(join(root, "packages/webhook-kit/src/errors/rejection.ts"), "RejectionCode");
  const statusByCode = new Map<string, number>(
    Object.entries(requestProblems).map(([code, { status }]) => [code, status]),
  );
  return [
    ...codes.map((code): CodeUse => {
      const status = statusByCode.get(code);
      const response =
        status === undefined
          ? `The sender receives status ${failedVerification.status} and the code \`${failedVerification.code}\`.`
          : `The sender receives status ${status} and this code.`;
      return {
        code,
        source: "rejections",
        facts: ["`onRejected` receives this code, and the log contains it.", response],
      };
    }),
    ...[failedVerification, unavailable].map(({ code, status }): CodeUse => {
      const facts = [`Your receiver responds with status ${status} and this code.`];
      return { code, source: "rejections", facts };
    }),
  ];
}

const listPlatformCodes = (): CodeUse[] =>
  Object.entries(problemKinds)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, title }]) => {
      const facts = [`The platform responds with status ${status} and this code.`];
      return { code, source: "platform", facts, status, title };
    });

const readAttemptCodes = (root: string): CodeUse[] =>
  readUnionMembers(join(root, "examples/platform/src/endpoint-client/endpoint-client.ts"), "EndpointFailureCode").map(
    (code) => ({
      code,
      source: "attempts",
      facts: ["The portal shows this code for the attempt or the endpoint check."],
    }),
  );
