import { isWebhookKitError } from "../errors.ts";
import type { Answer } from "../http/response.ts";
import type { Sender, Webhook } from "./sender.ts";
import type { HeaderList } from "./transport.ts";

/** No answer came: nothing that is asked afterwards would tell more. */
export class NoAnswer extends Error {}

/** Asks a receiver, and keeps in words what is wrong with its answers. */
export class Probe {
  readonly faults: string[] = [];
  readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /** @throws {NoAnswer} (rejects) */
  ask(webhook: Webhook, headers: HeaderList): Promise<Answer> {
    return this.#answered(webhook, () => this.sender.send(webhook, headers));
  }

  /** @throws {NoAnswer} (rejects) */
  askSigned(webhook: Webhook): Promise<Answer> {
    return this.#answered(webhook, () => this.sender.sendSigned(webhook));
  }

  /** The last request once more. */
  askAgain(webhook: Webhook): Promise<Answer> {
    return this.#answered(webhook, () => this.sender.repeat());
  }

  /** One fault for all the answers that break one rule. */
  expect(rule: string, answers: readonly (readonly [Webhook, Answer])[], isRight: (status: number) => boolean): void {
    const wrong = answers.filter(([, { status }]) => !isRight(status));
    const statuses = [...new Set(wrong.map(([, { status }]) => status))].map((status) => {
      const asked = wrong.filter(([, answer]) => answer.status === status);
      return `${status} came from ${asked.map(([{ method, path }]) => `${method} ${path}`).join(", ")}`;
    });
    if (statuses.length > 0) this.faults.push(`${rule}, but ${statuses.join("; ")}.`);
  }

  async #answered({ method, path }: Webhook, send: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await send();
    } catch (cause) {
      if (isWebhookKitError(cause)) throw cause;
      throw new NoAnswer(`${method} ${path} got no answer (${nameOf(cause)}); nothing more was asked.`, { cause });
    }
    if (`${JSON.stringify(answer.headers)}${answer.body}`.includes(this.sender.signer.secret))
      this.faults.push(`${method} ${path} answered with the secret in it.`);
    return answer;
  }
}

/** What failed, without its message, which may tell anything. */
function nameOf(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { cause: inner } = cause;
  if (inner instanceof Error) return nameOf(inner);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}
