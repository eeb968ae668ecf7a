import { endpoints } from "../endpoints/all.ts";
import type { WebhookResponse } from "../http/response.ts";
import { ContractChecker, NoResponseError } from "./contract-checker.ts";
import {
  commonInvalidSignatures,
  type InvalidSignature,
  invalidDigests,
  tamperedHeaders,
} from "./invalid-signatures.ts";
import { readSuggestions } from "./read-suggestions.ts";
import { type Samples, samplePayloads } from "./samples.ts";
import { handledEndpoints, handledNames, type Sender, type Webhook, writeWebhook } from "./sender.ts";
import { type SignatureRules, validSignatures } from "./valid-signatures.ts";

/** Checks a receiver against the contract and our decisions (D-61). @returns its problems, in sentences */
export async function checkReceiver(
  sender: Sender,
  rules: SignatureRules & { readonly basePath: string },
  samples: Partial<Samples>,
): Promise<string[]> {
  const checker = new ContractChecker(sender);
  try {
    if ((await isMounted(checker, rules.basePath)) && (await acceptsValidSignatures(checker, rules))) {
      await rejectsInvalidSignatures(checker, rules, samples);
      await rejectsInvalidRequests(checker);
      await handlesSamples(checker, samples);
    }
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    checker.problems.push(error.message);
  }
  return checker.problems;
}

const test = writeWebhook(endpoints["/test"]);
const testAuth = writeWebhook(endpoints["/test/auth"]);

const isOk = (status: number): boolean => status === 200;
const isRefusal = (status: number): boolean => status >= 300 && status < 500;

async function isMounted(checker: ContractChecker, basePath: string): Promise<boolean> {
  const unsigned = await checker.send(test, []);
  if (unsigned.status === 404) {
    const requested = `GET ${basePath}/test responded 404: no receiver is mounted there.`;
    checker.problems.push(`${requested} Give basePath, the path of the base address on your company profile.`);
    return false;
  }
  const nonsense = [["Timestamp", "never"] as const, ["Authorization", "hmac nonsense"] as const];
  const responses = [unsigned, await checker.sendSigned(test), await checker.send(test, nonsense)];
  checker.expect("A request to /test must get 200, whatever its headers", responsesTo(test, responses), isOk);
  return true;
}

async function acceptsValidSignatures(checker: ContractChecker, rules: SignatureRules): Promise<boolean> {
  const requested: [what: string, response: WebhookResponse][] = [];
  for (const { what, headers } of await validSignatures(checker.sender.signer, rules))
    requested.push([what, await checker.send(testAuth, headers)]);
  const isBelieved = requested.some(([, { status }]) => isOk(status));
  if (!isBelieved)
    checker.problems.push(
      "GET /test/auth rejects every valid signature: does the receiver have this secret and scheme?",
    );
  else
    for (const [what, response] of requested)
      checker.expect(`A request ${what} must get 200`, responsesTo(testAuth, [response]), isOk);
  return isBelieved;
}

async function rejectsInvalidSignatures(
  checker: ContractChecker,
  rules: SignatureRules,
  samples: Partial<Samples>,
): Promise<void> {
  const { signer } = checker.sender;
  const refuses = async (webhooks: readonly Webhook[], invalidSignatures: readonly InvalidSignature[]) => {
    for (const { what, headers } of invalidSignatures) {
      const responses: [Webhook, WebhookResponse][] = [];
      for (const webhook of webhooks)
        responses.push([webhook, await checker.send(webhook, await headers(webhook.body))]);
      checker.expect(`A request ${what} must be rejected`, responses, isRefusal);
    }
  };
  const all = [
    testAuth,
    ...handledNames.map((name) => writeWebhook(handledEndpoints[name], samples[name] ?? samplePayloads[name])),
  ];
  // Express runs the handler of GET for HEAD.
  const heads = all.filter(({ method }) => method === "GET").map((webhook) => ({ ...webhook, method: "HEAD" }));
  await refuses([...all, ...heads], commonInvalidSignatures(signer, rules.toleranceMs));
  await refuses([testAuth], await tamperedHeaders(signer));
  if (signer.scheme.name === "timestamp-digest") await refuses([testAuth], invalidDigests(signer));
}

async function rejectsInvalidRequests(checker: ContractChecker): Promise<void> {
  const refuses = async (rule: string, webhooks: readonly Webhook[]) => {
    const responses: [Webhook, WebhookResponse][] = [];
    for (const webhook of webhooks) responses.push([webhook, await checker.sendSigned(webhook)]);
    checker.expect(rule, responses, isRefusal);
  };
  const post = (path: string, text: string): Webhook => ({ method: "POST", path, body: Buffer.from(text) });
  const paths = Object.values(handledEndpoints).flatMap(({ method, path }) => (method === "POST" ? [path] : []));
  for (const text of ["{}", "[]", "{"])
    await refuses(
      `The payload ${text} must be rejected`,
      paths.map((path) => post(path, text)),
    );
  await refuses("An unknown path must not be acknowledged", [post("/no/such/webhook", "{}")]);

  const odd = { ...testAuth, method: "OPTIONS" };
  const responses = responsesTo(odd, [await checker.send(odd, [])]);
  checker.expect("A method that the service does not use must not fail", responses, (status) => status < 500);
}

/** Sends the given samples, which run the receiver's own handlers. */
async function handlesSamples(checker: ContractChecker, samples: Partial<Samples>): Promise<void> {
  for (const name of handledNames) {
    const sample = samples[name];
    if (!sample) continue;
    const endpoint = handledEndpoints[name];
    const webhook = writeWebhook(endpoint, sample);
    const first = await checker.sendSigned(webhook);
    checker.expect(`${name} must get 200`, responsesTo(webhook, [first]), isOk);
    if (!isOk(first.status)) continue;
    if (endpoint.kind === "event") {
      const again = responsesTo(webhook, [await checker.resend(webhook)]);
      checker.expect(`${name} must get 200 when the same request comes twice`, again, isOk);
    } else
      for (const [field, words] of Object.entries(readSuggestions(first.body).problems ?? {}))
        checker.problems.push(`${name} returned what the service rejects: ${field}: ${words.join(" ")}`);
    if (checker.sender.signer.scheme.signsBody) await rejectsUnsignedBody(checker, webhook);
  }
}

async function rejectsUnsignedBody(checker: ContractChecker, webhook: Webhook): Promise<void> {
  if (!webhook.body) return;
  const headers = await checker.sender.signer.sign(webhook.body);
  const other = { ...webhook, body: Buffer.concat([webhook.body, Buffer.from(" ")]) };
  checker.expect(
    "A body that was not signed must be rejected",
    responsesTo(other, [await checker.send(other, headers)]),
    isRefusal,
  );
}

const responsesTo = (webhook: Webhook, responses: readonly WebhookResponse[]): [Webhook, WebhookResponse][] =>
  responses.map((response) => [webhook, response]);
