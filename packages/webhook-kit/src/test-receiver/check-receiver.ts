import { isError } from "@offers/contract/foreign-objects";
import { endpoints } from "../endpoints/endpoints.ts";
import type { ContactSuggestion } from "../endpoints/events.ts";
import { describeIssues, validate } from "../endpoints/json-schema.ts";
import { isWebhookKitError } from "../errors/errors.ts";
import { responseSchemas } from "../generated/payload-schemas.ts";
import type { WebhookResponse } from "../http/response.ts";
import { buildWebhook, handledEndpoints, handledNames, type Sender, samplePayloads, type Webhook } from "./sender.ts";
import {
  createForgedDigests,
  createInvalidSignatures,
  createTamperedSignatures,
  createValidSignatures,
  type SignatureCase,
  type SignatureRules,
  type SignBody,
} from "./signature-cases.ts";
import type { Samples } from "./tested-receiver.ts";
import type { HeaderList } from "./transports.ts";

/** Checks a receiver against the contract and our decisions (D-61). @returns the problems found, one sentence each */
export async function checkReceiver(
  sender: Sender,
  rules: SignatureRules & { readonly basePath: string },
  samples: Partial<Samples>,
): Promise<string[]> {
  const checker = new ContractChecker(sender);
  try {
    if ((await checkMounted(checker, rules.basePath)) && (await checkValidSignatures(checker, rules))) {
      await checkInvalidSignatures(checker, rules, samples);
      await checkInvalidRequests(checker);
      await checkSamples(checker, samples);
    }
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    checker.problems.push(error.message);
  }
  return checker.problems;
}

const test = buildWebhook(endpoints["/test"]);
const testAuth = buildWebhook(endpoints["/test/auth"]);

const isOk = (status: number): boolean => status === 200;
const isRejection = (status: number): boolean => status >= 300 && status < 500;

/** Checks `/test`. @returns false if no receiver is mounted; the other checks would then fail too */
async function checkMounted(checker: ContractChecker, basePath: string): Promise<boolean> {
  const unsigned = await checker.send(test, []);
  if (unsigned.status === 404) {
    checker.problems.push(
      `GET ${basePath}/test returned 404: no receiver is mounted there. Pass basePath, the path of the base URL in your company profile.`,
    );
    return false;
  }
  const malformedHeaders = [["Timestamp", "never"] as const, ["Authorization", "hmac nonsense"] as const];
  const signed = await checker.sender.signer.sign();
  const responses = [unsigned, await checker.send(test, signed), await checker.send(test, malformedHeaders)];
  checker.expect(
    "Any request to /test must return 200, whatever its headers",
    isOk,
    responses.map((response) => [test, response]),
  );
  return true;
}

/** Checks that valid signatures are accepted. @returns false if none is accepted; the other checks would then be meaningless */
async function checkValidSignatures(checker: ContractChecker, rules: SignatureRules): Promise<boolean> {
  const results: [description: string, response: WebhookResponse][] = [];
  for (const { description, sign } of createValidSignatures(checker.sender.signer, rules))
    results.push([description, await checker.send(testAuth, await sign(undefined))]);
  if (!results.some(([, { status }]) => isOk(status))) {
    checker.problems.push(
      "GET /test/auth rejects every valid signature: does the receiver use this secret and scheme?",
    );
    return false;
  }
  for (const [description, response] of results)
    checker.expect(`A request ${description} must return 200`, isOk, [[testAuth, response]]);
  return true;
}

async function checkInvalidSignatures(
  checker: ContractChecker,
  rules: SignatureRules,
  samples: Partial<Samples>,
): Promise<void> {
  const { signer } = checker.sender;
  const expectRejected = async (webhooks: readonly Webhook[], invalidSignatures: readonly SignatureCase[]) => {
    for (const { description, sign } of invalidSignatures)
      await checker.check(`A request ${description} must be rejected`, isRejection, webhooks, sign);
  };
  const allWebhooks = [
    testAuth,
    ...handledNames.map((name) => buildWebhook(handledEndpoints[name], samples[name] ?? samplePayloads[name])),
  ];
  // Express runs the GET handler for a HEAD request, so the receiver must reject HEAD requests too.
  const headRequests = allWebhooks
    .filter(({ method }) => method === "GET")
    .map((webhook) => ({ ...webhook, method: "HEAD" }));
  await expectRejected([...allWebhooks, ...headRequests], createInvalidSignatures(signer, rules.toleranceMs));
  await expectRejected([testAuth], await createTamperedSignatures(signer));
  if (signer.scheme.name === "timestamp-digest") await expectRejected([testAuth], createForgedDigests(signer));
}

async function checkInvalidRequests(checker: ContractChecker): Promise<void> {
  const post = (path: string, text: string): Webhook => ({ method: "POST", path, body: Buffer.from(text) });
  const paths = Object.values(handledEndpoints).flatMap(({ method, path }) => (method === "POST" ? [path] : []));
  for (const text of ["{}", "[]", "{"]) {
    const webhooks = paths.map((path) => post(path, text));
    await checker.check(`The payload ${text} must be rejected`, isRejection, webhooks);
  }
  await checker.check("An unknown path must not be acknowledged", isRejection, [post("/no/such/webhook", "{}")]);
  const optionsRequests = [{ ...testAuth, method: "OPTIONS" }];
  await checker.check(
    "A method that the service does not use must not fail",
    (status) => status < 500,
    optionsRequests,
    () => [],
  );
}

/** Sends the samples, for which the receiver runs its own handlers. */
async function checkSamples(checker: ContractChecker, samples: Partial<Samples>): Promise<void> {
  for (const name of handledNames) {
    const sample = samples[name];
    if (sample) await checkSample(checker, name, sample);
  }
}

async function checkSample(checker: ContractChecker, name: keyof Samples, sample: object): Promise<void> {
  const endpoint = handledEndpoints[name];
  const webhook = buildWebhook(endpoint, sample);
  const { signer } = checker.sender;
  const headers = await signer.sign(webhook.body);
  const first = await checker.send(webhook, headers);
  checker.expect(`${name} must return 200`, isOk, [[webhook, first]]);
  if (!isOk(first.status)) return;
  if (endpoint.kind === "event") {
    const rule = `${name} must return 200 when the same request is sent twice`;
    await checker.check(rule, isOk, [webhook], () => headers);
  } else {
    const { problems = {} } = readSuggestions(first.body);
    for (const [field, messages] of Object.entries(problems))
      checker.problems.push(`${name} returned a list that the service would reject: ${field}: ${messages.join(" ")}`);
  }
  const { body } = webhook;
  if (!signer.scheme.signsBody || !body) return;
  const changedWebhook = { ...webhook, body: Buffer.concat([body, Buffer.from(" ")]) };
  await checker.check("A body that was not signed must be rejected", isRejection, [changedWebhook], () =>
    signer.sign(body),
  );
}

type CheckedResponse = readonly [Webhook, WebhookResponse];

/** Thrown when a request gets no response. Ends the check. */
class NoResponseError extends Error {}

/** Sends requests to a receiver, and collects the problems with its responses. */
class ContractChecker {
  readonly problems: string[] = [];
  readonly sender: Sender;

  constructor(sender: Sender) {
    this.sender = sender;
  }

  /**
   * Sends each webhook once, and adds one problem for all responses that break the rule.
   *
   * @param sign returns the headers for a request with the given body; by default the signature is valid
   * @throws {NoResponseError} (rejects)
   */
  async check(
    rule: string,
    isExpected: (status: number) => boolean,
    webhooks: readonly Webhook[],
    sign: SignBody = (body) => this.sender.signer.sign(body),
  ): Promise<void> {
    const responses: CheckedResponse[] = [];
    for (const webhook of webhooks) responses.push([webhook, await this.send(webhook, await sign(webhook.body))]);
    this.expect(rule, isExpected, responses);
  }

  /** Adds one problem for all responses that break one rule. */
  expect(rule: string, isExpected: (status: number) => boolean, responses: readonly CheckedResponse[]): void {
    const unexpectedResponses = responses.filter(([, { status }]) => !isExpected(status));
    const descriptions = [...new Set(unexpectedResponses.map(([, { status }]) => status))].map((status) => {
      const responsesWithStatus = unexpectedResponses.filter(([, response]) => response.status === status);
      return `${status} was returned by ${responsesWithStatus.map(([{ method, path }]) => `${method} ${path}`).join(", ")}`;
    });
    if (descriptions.length > 0) this.problems.push(`${rule}, but ${descriptions.join("; ")}.`);
  }

  /** @throws {NoResponseError} (rejects) */
  async send(webhook: Webhook, headers: HeaderList): Promise<WebhookResponse> {
    const { method, path } = webhook;
    let response: WebhookResponse;
    try {
      response = await this.sender.send(webhook, headers);
    } catch (cause) {
      if (isWebhookKitError(cause)) throw cause;
      throw new NoResponseError(`${method} ${path} got no response (${getErrorName(cause)}); nothing more was sent.`, {
        cause,
      });
    }
    if (`${JSON.stringify(response.headers)}${response.body}`.includes(this.sender.signer.secret))
      this.problems.push(`${method} ${path} returned the secret in its response.`);
    return response;
  }
}

/** Returns the code or name of a failure's innermost cause, but not its message, which may contain anything. */
function getErrorName(cause: unknown): string {
  if (!isError(cause)) return typeof cause;
  const { cause: inner } = cause;
  if (isError(inner)) return getErrorName(inner);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** Parses the suggestions in a response, or returns the problems that make the service reject the entire list (D-21). */
export function readSuggestions(json: string): {
  readonly suggestions?: ContactSuggestion[];
  readonly problems?: Record<string, string[]>;
} {
  const { data, issues } = validate(responseSchemas["/contact-suggestions"], parseJson(json));
  return issues.length === 0 ? { suggestions: data as ContactSuggestion[] } : { problems: describeIssues(issues) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
