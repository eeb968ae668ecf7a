import { toleranceSeconds as defaultToleranceSeconds } from "@offers/contract/decisions";
import { endpoints } from "../endpoints/endpoints.ts";
import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import { findSecretProblem } from "../signature/secrets.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import { checkReceiver, readSuggestions } from "./check-receiver.ts";
import { buildWebhook, handledEndpoints, Sender, Signer } from "./sender.ts";
import type { Samples, TestedReceiver } from "./tested-receiver.ts";
import { openApp, type ReceiverApp } from "./transports.ts";

/**
 * Simulates the service in your tests, with any test runner: sends webhooks to your receiver, and checks it against the contract.
 *
 * @param app what your module exports: an Express or Fastify app, a `node:http` server or listener, which is started on a free loopback
 * port unless it is already listening; `webhookHandler(…)` or any other function from `Request` to `Response`; an object whose `fetch` is
 * such a function, for example a Hono app; or the URL of a running receiver. A function with two parameters counts as a listener
 * @param options.basePath the receiver's mount path, such as `/offers`; appended to the path of a URL (default none)
 * @param options.scheme the receiver's scheme (default `timestampDigest()`)
 * @param options.toleranceSeconds the receiver's tolerance (default 300)
 * @param options.timeoutMs how many milliseconds a response may take (default 15,000)
 * @param options.now the receiver's clock, if it is not this machine's
 * @throws {ConfigurationError} (rejects) `invalid_option`, `invalid_secret`
 *
 * @example
 * ```ts
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import { testReceiver } from "@offers/webhook-kit/testing";
 * import express from "express";
 *
 * const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
 * const app = express().use("/offers", webhookRouter({ secret, onWorkerAddedContact: ({ workerId }) => console.log(workerId) }));
 *
 * const receiver = await testReceiver(app, { secret, basePath: "/offers" });
 * const { status } = await receiver.workerAddedContact({ workerId: "worker_amal" });
 * const problems = await receiver.checkContract();
 * console.log(status, problems); // 200 []
 * await receiver.close();
 * ```
 */
export async function testReceiver(
  app: ReceiverApp,
  options: {
    /** The receiver's secret. */
    secret: string;
    /** The receiver's mount path, such as `/offers`. @default none */
    basePath?: string | undefined;
    /** The receiver's scheme. @default timestampDigest() */
    scheme?: SignatureScheme | undefined;
    /** The receiver's tolerance. @default 300 */
    toleranceSeconds?: number | undefined;
    /** How many milliseconds a response may take. @default 15_000 */
    timeoutMs?: number | undefined;
    /** The receiver's clock. @default this machine's */
    now?: (() => Date) | undefined;
  },
): Promise<TestedReceiver> {
  rejectUnknownOptions("testReceiver", options, optionNames);
  const { secret, scheme = timestampDigest(), now = () => new Date() } = options;
  const { basePath = "", toleranceSeconds = defaultToleranceSeconds, timeoutMs = 15_000 } = options;
  const problem = findSecretProblem(secret);
  if (problem) throw new ConfigurationError(problem.code, problem.message);

  const { transport, path } = await openApp(app, timeoutMs);
  const prefix = withoutTrailingSlashes(path) + withLeadingSlash(withoutTrailingSlashes(basePath));
  const sender = new Sender(new Signer({ scheme, secret, now }), transport, prefix);
  const send = <Name extends keyof Samples>(name: Name, sample: Samples[Name]) =>
    sender.sendSigned(buildWebhook(handledEndpoints[name], sample));
  const rules = {
    toleranceMs: toleranceSeconds * 1000,
    isDocumented: options.scheme === undefined,
    basePath: prefix,
    signedMinutes: new Set<string>(),
  };

  return {
    test: () => sender.sendSigned(buildWebhook(endpoints["/test"])),
    testAuth: () => sender.sendSigned(buildWebhook(endpoints["/test/auth"])),
    workerAddedContact: (event) => send("workerAddedContact", event),
    async contactSuggestions(search) {
      const response = await send("contactSuggestions", search);
      const { suggestions } = readSuggestions(response.body);
      return response.status === 200 && suggestions ? { ...response, suggestions } : response;
    },
    workerOfferResponse: (event) => send("workerOfferResponse", event),
    offerEventDeleted: (event) => send("offerEventDeleted", event),
    timelineChanged: (event) => send("timelineChanged", event),
    resend: () => sender.resend(),
    checkContract: (samples = {}) => checkReceiver(sender, rules, samples),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  };
}

const optionNames = ["secret", "basePath", "scheme", "toleranceSeconds", "timeoutMs", "now"];

const withoutTrailingSlashes = (path: string): string => path.replace(/\/+$/, "");
const withLeadingSlash = (path: string): string => (path === "" || path.startsWith("/") ? path : `/${path}`);
