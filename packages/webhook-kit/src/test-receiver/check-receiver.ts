import { endpoints } from "../endpoints/all.ts";
import type { Answer } from "../http/response.ts";
import { NoAnswer, Probe } from "./contract-checker.ts";
import { handledEndpoints, handledNames } from "./handled-endpoints.ts";
import { commonForgeries, digestForgeries, type Forgery, tamperedHeaders } from "./invalid-signatures.ts";
import { readSuggestions } from "./read-suggestions.ts";
import { madeUp, type Samples } from "./samples.ts";
import { type Sender, type Webhook, writeWebhook } from "./sender.ts";
import { goodSignatures, type SignatureRules } from "./valid-signatures.ts";

/** Asks a receiver what the contract demands of one, and what we do beyond it (D-61); answers its faults in words. */
export async function checkReceiver(
  sender: Sender,
  rules: SignatureRules & { readonly basePath: string },
  samples: Partial<Samples>,
): Promise<string[]> {
  const probe = new Probe(sender);
  try {
    if ((await isOpen(probe, rules.basePath)) && (await believesTheService(probe, rules))) {
      await refusesForgeries(probe, rules, samples);
      await refusesNonsense(probe);
      await handlesSamples(probe, samples);
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    probe.faults.push(error.message);
  }
  return probe.faults;
}

const test = writeWebhook(endpoints["/test"]);
const testAuth = writeWebhook(endpoints["/test/auth"]);

const isOk = (status: number): boolean => status === 200;
const isRefusal = (status: number): boolean => status >= 300 && status < 500;

async function isOpen(probe: Probe, basePath: string): Promise<boolean> {
  const unsigned = await probe.ask(test, []);
  if (unsigned.status === 404) {
    const asked = `GET ${basePath}/test answered 404: no receiver is mounted there.`;
    probe.faults.push(`${asked} Give basePath, the path of the base address on your company profile.`);
    return false;
  }
  const nonsense = [["Timestamp", "never"] as const, ["Authorization", "hmac nonsense"] as const];
  const answers = [unsigned, await probe.askSigned(test), await probe.ask(test, nonsense)];
  probe.expect("A request to /test must be answered 200, whatever its headers", answersTo(test, answers), isOk);
  return true;
}

async function believesTheService(probe: Probe, rules: SignatureRules): Promise<boolean> {
  const asked: [what: string, answer: Answer][] = [];
  for (const { what, headers } of await goodSignatures(probe.sender.signer, rules))
    asked.push([what, await probe.ask(testAuth, headers)]);
  const isBelieved = asked.some(([, { status }]) => isOk(status));
  if (!isBelieved)
    probe.faults.push("GET /test/auth refuses every valid signature: does the receiver have this secret and scheme?");
  else
    for (const [what, answer] of asked)
      probe.expect(`A request ${what} must be answered 200`, answersTo(testAuth, [answer]), isOk);
  return isBelieved;
}

async function refusesForgeries(probe: Probe, rules: SignatureRules, samples: Partial<Samples>): Promise<void> {
  const { signer } = probe.sender;
  const refuses = async (webhooks: readonly Webhook[], forgeries: readonly Forgery[]) => {
    for (const { what, headers } of forgeries) {
      const answers: [Webhook, Answer][] = [];
      for (const webhook of webhooks) answers.push([webhook, await probe.ask(webhook, await headers(webhook.body))]);
      probe.expect(`A request ${what} must be refused`, answers, isRefusal);
    }
  };
  const all = [
    testAuth,
    ...handledNames.map((name) => writeWebhook(handledEndpoints[name], samples[name] ?? madeUp[name])),
  ];
  // Express runs the handler of GET for HEAD.
  const heads = all.filter(({ method }) => method === "GET").map((webhook) => ({ ...webhook, method: "HEAD" }));
  await refuses([...all, ...heads], commonForgeries(signer, rules.toleranceMs));
  await refuses([testAuth], await tamperedHeaders(signer));
  if (signer.scheme.name === "timestamp-digest") await refuses([testAuth], digestForgeries(signer));
}

async function refusesNonsense(probe: Probe): Promise<void> {
  const refuses = async (rule: string, webhooks: readonly Webhook[]) => {
    const answers: [Webhook, Answer][] = [];
    for (const webhook of webhooks) answers.push([webhook, await probe.askSigned(webhook)]);
    probe.expect(rule, answers, isRefusal);
  };
  const post = (path: string, text: string): Webhook => ({ method: "POST", path, body: Buffer.from(text) });
  const paths = Object.values(handledEndpoints).flatMap(({ method, path }) => (method === "POST" ? [path] : []));
  for (const text of ["{}", "[]", "{"])
    await refuses(
      `The payload ${text} must be refused`,
      paths.map((path) => post(path, text)),
    );
  await refuses("What nobody handles must not be acknowledged", [post("/no/such/webhook", "{}")]);

  const odd = { ...testAuth, method: "OPTIONS" };
  const answers = answersTo(odd, [await probe.ask(odd, [])]);
  probe.expect("What the service does not ask must not fail", answers, (status) => status < 500);
}

/** What is given runs the receiver's own handlers. */
async function handlesSamples(probe: Probe, samples: Partial<Samples>): Promise<void> {
  for (const name of handledNames) {
    const sample = samples[name];
    if (!sample) continue;
    const endpoint = handledEndpoints[name];
    const webhook = writeWebhook(endpoint, sample);
    const first = await probe.askSigned(webhook);
    probe.expect(`${name} must be answered 200`, answersTo(webhook, [first]), isOk);
    if (!isOk(first.status)) continue;
    if (endpoint.kind === "event") {
      const again = answersTo(webhook, [await probe.askAgain(webhook)]);
      probe.expect(`${name} must be answered 200 when the same request comes twice`, again, isOk);
    } else
      for (const [field, words] of Object.entries(readSuggestions(first.body).faults ?? {}))
        probe.faults.push(`${name} answered what the service refuses: ${field}: ${words.join(" ")}`);
    if (probe.sender.signer.scheme.coversBody) await refusesOtherBody(probe, webhook);
  }
}

async function refusesOtherBody(probe: Probe, webhook: Webhook): Promise<void> {
  if (!webhook.body) return;
  const headers = await probe.sender.signer.sign(webhook.body);
  const other = { ...webhook, body: Buffer.concat([webhook.body, Buffer.from(" ")]) };
  probe.expect(
    "A body that was not signed must be refused",
    answersTo(other, [await probe.ask(other, headers)]),
    isRefusal,
  );
}

const answersTo = (webhook: Webhook, answers: readonly Answer[]): [Webhook, Answer][] =>
  answers.map((answer) => [webhook, answer]);
