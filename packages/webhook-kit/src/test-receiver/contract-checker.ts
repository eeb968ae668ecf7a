import { isWebhookKitError } from "../errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Sender, Webhook } from "./sender.ts";
import type { HeaderList } from "./transport.ts";

/** There was no response, so the check ends. */
export class NoResponseError extends Error {}

/** Sends requests to a receiver, and collects the problems of its responses. */
export class ContractChecker {
  readonly problems: string[] = [];
  readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /** @throws {NoResponseError} (rejects) */
  send(webhook: Webhook, headers: HeaderList): Promise<WebhookResponse> {
    return this.#withResponse(webhook, () => this.sender.send(webhook, headers));
  }

  /** @throws {NoResponseError} (rejects) */
  sendSigned(webhook: Webhook): Promise<WebhookResponse> {
    return this.#withResponse(webhook, () => this.sender.sendSigned(webhook));
  }

  /** Sends the last request again. */
  resend(webhook: Webhook): Promise<WebhookResponse> {
    return this.#withResponse(webhook, () => this.sender.resend());
  }

  /** Adds one problem for all the responses that break one rule. */
  expect(
    rule: string,
    responses: readonly (readonly [Webhook, WebhookResponse])[],
    isRight: (status: number) => boolean,
  ): void {
    const wrong = responses.filter(([, { status }]) => !isRight(status));
    const statuses = [...new Set(wrong.map(([, { status }]) => status))].map((status) => {
      const requested = wrong.filter(([, response]) => response.status === status);
      return `${status} came from ${requested.map(([{ method, path }]) => `${method} ${path}`).join(", ")}`;
    });
    if (statuses.length > 0) this.problems.push(`${rule}, but ${statuses.join("; ")}.`);
  }

  async #withResponse({ method, path }: Webhook, send: () => Promise<WebhookResponse>): Promise<WebhookResponse> {
    let response: WebhookResponse;
    try {
      response = await send();
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
