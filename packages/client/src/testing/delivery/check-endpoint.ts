import { requestTimeoutMs } from "@offers/contract/decisions";
import { DeliveryError } from "./delivery-error.ts";
import type { Endpoint } from "./open-endpoint.ts";
import { prepareWebhook, sendRequest, type Webhook } from "./send-webhook.ts";
import type { TestClock } from "./test-clock.ts";

/**
 * Calls `GET /test` unsigned and `GET /test/auth` signed, as the company profile does before it saves a base URL. Sends the second request
 * even if the first fails (D-41).
 *
 * @throws {DeliveryError} `endpoint_check_failed` unless both responses have status 200
 */
export async function checkEndpoint(endpoint: Endpoint, clock: TestClock): Promise<void> {
  const problems: string[] = [];
  const errors: unknown[] = [];
  const checkPath = async (path: string, signing?: "unsigned"): Promise<void> => {
    const webhook: Webhook = { method: "GET", path };
    const request = await prepareWebhook(endpoint, webhook, signing);
    const { status, failure, error } = await sendRequest(endpoint, clock, request, { timeoutMs: requestTimeoutMs });
    if (failure === undefined) return;
    const problem = status === undefined ? failure : `${status}; only 200 counts`;
    problems.push(`GET ${path}: ${problem}`);
    if (error !== undefined) errors.push(error);
  };
  await checkPath("/test", "unsigned");
  await checkPath("/test/auth");
  if (problems.length > 0)
    throw new DeliveryError(
      "endpoint_check_failed",
      `The receiver was not registered. ${problems.join(". ")}.`,
      errors[0],
    );
}
