import { isWebhookKitError } from "../errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Sender, Webhook } from "./sender.ts";
import type { SignBody } from "./signature-cases.ts";
import type { HeaderList } from "./transport.ts";

type CheckedResponse = readonly [Webhook, WebhookResponse];

/** There was no response, so the check ends. */
export class NoResponseError extends Error {}

/** Sends requests to a receiver, and collects the problems of its responses. */
export class ContractChecker {
  readonly problems: string[] = [];
  readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /**
   * Sends one request to each webhook, and adds one problem for all the responses that break the rule.
   *
   * @param sign the headers of a request with this body; left out, those of a valid signature
   * @throws {NoResponseError} (rejects)
   */
  async check(
    rule: string,
    isRight: (status: number) => boolean,
    webhooks: readonly Webhook[],
    sign: SignBody = (body) => this.sender.signer.sign(body),
  ): Promise<void> {
    const responses: CheckedResponse[] = [];
    for (const webhook of webhooks) responses.push([webhook, await this.send(webhook, await sign(webhook.body))]);
    this.expect(rule, isRight, responses);
  }

  /** Adds one problem for all the responses that break one rule. */
  expect(rule: string, isRight: (status: number) => boolean, responses: readonly CheckedResponse[]): void {
    const wrong = responses.filter(([, { status }]) => !isRight(status));
    const statuses = [...new Set(wrong.map(([, { status }]) => status))].map((status) => {
      const requested = wrong.filter(([, response]) => response.status === status);
      return `${status} came from ${requested.map(([{ method, path }]) => `${method} ${path}`).join(", ")}`;
    });
    if (statuses.length > 0) this.problems.push(`${rule}, but ${statuses.join("; ")}.`);
  }

  /** @throws {NoResponseError} (rejects) */
  async send(webhook: Webhook, headers: HeaderList): Promise<WebhookResponse> {
    const { method, path } = webhook;
    let response: WebhookResponse;
    try {
      response = await this.sender.send(webhook, headers);
    } catch (cause) {
      if (isWebhookKitError(cause)) throw cause;
      throw new NoResponseError(`${method} ${path} got no response (${nameOf(cause)}); nothing more was sent.`, {
        cause,
      });
    }
    if (`${JSON.stringify(response.headers)}${response.body}`.includes(this.sender.signer.secret))
      this.problems.push(`${method} ${path} responded with the secret in it.`);
    return response;
  }
}

/** The kind of failure, without its message, which may hold anything. */
function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { cause: inner } = cause;
  if (inner instanceof Error) return nameOf(inner);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
