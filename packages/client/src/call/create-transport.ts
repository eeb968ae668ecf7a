import type { AnyOffersError } from "../errors/any-offers-error.ts";
import { isUnannotated } from "../errors/is-unannotated.ts";
import { toOffersError } from "../errors/to-offers-error.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { Operation } from "../operations/operation.ts";
import type { CallOptions, OffersClientOptions } from "../options/options.ts";
import { readSettings } from "../options/read-settings.ts";
import { type Clock, systemClock } from "../request/clock.ts";
import { Credentials } from "../request/credentials.ts";
import { prepareRequest } from "../request/prepare-request.ts";
import { sendOnce } from "../request/send-once.ts";
import { parseResponse } from "../response/parse-response.ts";
import { decideRetry } from "../retry/decide-retry.ts";
import { annotateError } from "./annotate-error.ts";
import { type CallOptionsWithSite, callSiteKey } from "./call-site.ts";
import { reportAttempt, reportRetry } from "./report-attempt.ts";
import type { WithResponse } from "./with-response.ts";

/**
 * Performs an operation. Rejects with an `AnyOffersError` only.
 *
 * @param callSite where the call was made, for the stack of its error
 */
export type Transport = <Argument, Data>(
  operation: Operation<Argument, Data>,
  id: unknown,
  argument: Argument,
  callOptions?: CallOptions,
  callSite?: Error,
) => Promise<WithResponse<Data>>;

/** @throws {UsageError} for an invalid option */
export function createTransport(given: OffersClientOptions, clock: Clock = systemClock): Transport {
  const settings = readSettings(given);
  const { options, host } = settings;
  const { apiKey } = options;
  return async (operation, id, argument, callOptions, callSite) => {
    const call = {
      operation: operation.name,
      host,
      callSite: (callOptions as CallOptionsWithSite | undefined)?.[callSiteKey] ?? callSite,
      attempts: 0,
    };
    const credentials = new Credentials(apiKey);
    const wrap = (thrown: unknown): AnyOffersError =>
      isUnannotated(thrown) ? thrown : toOffersError(thrown, credentials.key, UsageError, "invalid_argument");
    try {
      const request = prepareRequest(settings, operation, id, argument, callOptions);
      let startedAt = clock.now();
      const deadline = startedAt + request.limits.totalTimeoutMs;
      if (typeof apiKey === "function") {
        await credentials.load(request, deadline - startedAt);
        startedAt = clock.now();
      }
      for (; ; startedAt = clock.now()) {
        const attempt = call.attempts + 1;
        let error: AnyOffersError;
        try {
          const received = await sendOnce(request, call, credentials.key, deadline - startedAt, settings);
          const { response } = received;
          const data = parseResponse(operation, received, request.template, credentials.key, id);
          reportAttempt(options, call.operation, attempt, startedAt, clock, response);
          return { data, response, attempts: call.attempts };
        } catch (thrown) {
          error = wrap(thrown);
        }
        let delayMs: number | undefined;
        try {
          delayMs = await decideRetry(error, request, call.attempts, credentials, deadline, clock);
        } finally {
          // Also when the key cannot be refreshed: the attempt was made and failed.
          reportAttempt(options, call.operation, attempt, startedAt, clock, error, delayMs);
        }
        if (delayMs === undefined) throw error;
        reportRetry(options, { error: annotateError(error, call), attempt: call.attempts, delayMs });
        await clock.sleep(delayMs, request.signal);
      }
    } catch (thrown) {
      throw annotateError(wrap(thrown), call);
    }
  };
}
