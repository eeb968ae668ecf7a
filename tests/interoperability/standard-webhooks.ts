import { standardWebhooks as scheme } from "@offers/webhook-kit";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { type ReceivedWebhook, startIntegration } from "./integration.ts";
import { type Implementation, listImplementations, type SignedMessage } from "./standard-webhooks/implementations.ts";
import type { SuiteReport } from "./suite-report.ts";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const rotatedSecret = "whsec_bmV3IHNlY3JldCBvZiB0d2VudHkgYnl0ZXM=";
const unrelatedSecret = "whsec_c2VjcmV0IG9mIHNvbWVib2R5IGVsc2Ugb24gZWFydGg=";

/** Counts a comparison, and reports it if a message was accepted or rejected unexpectedly. */
type Compare = (label: string, shouldAccept: boolean, hasAccepted: boolean) => void;

/**
 * Makes other implementations of Standard Webhooks verify the platform's webhooks, before and during a rotation of the secret, and makes
 * the kit verify messages that those implementations sign. Each message is verified unchanged, and with single changes.
 */
export async function runStandardWebhooksSuite(): Promise<SuiteReport> {
  const implementations = listImplementations();
  const differences: string[] = [];
  let comparedCount = 0;
  const compare: Compare = (label, shouldAccept, hasAccepted) => {
    comparedCount += 1;
    if (hasAccepted !== shouldAccept) differences.push(`${label}: ${hasAccepted ? "accepted" : "rejected"}`);
  };
  const sent = await sendWebhooks();
  for (const implementation of implementations)
    for (const sentMessage of sent) verifyPlatformMessage(implementation, sentMessage, compare);
  for (const implementation of implementations) await verifyWithKit(implementation, compare);
  const tried = `${comparedCount} verdicts on ${sent.length} webhooks from the platform, and on messages from each implementation`;
  return { suite: implementations.map(({ name }) => name).join(", "), tried, differences };
}

interface SentMessage {
  message: SignedMessage;
  /** The endpoint's secret when the message was sent. */
  currentSecret: string;
  /** Whether it was sent during a rotation, while the previous secret is still valid. */
  isDuringRotation: boolean;
  /** Whether the platform deliberately signed it wrongly, to check that the endpoint rejects it (D-41). */
  isForged: boolean;
}

/**
 * Makes the platform send every webhook before the first is verified, because verifiers block this process and the platform closes idle
 * connections.
 */
async function sendWebhooks(): Promise<readonly SentMessage[]> {
  const integration = await startIntegration();
  const sent: SentMessage[] = [];
  try {
    for (const [change, currentSecret] of [
      ["save", secret],
      ["rotate", rotatedSecret],
    ] as const) {
      const countBefore = integration.webhooks.length;
      await integration.saveProfile(change, currentSecret);
      await integration.deliverResponse();
      // The requests that check a new secret are signed with it alone, and have no body. The second one is forged.
      for (const [index, message] of integration.webhooks.slice(countBefore).flatMap(toSignedMessages).entries())
        sent.push({
          message,
          currentSecret,
          isDuringRotation: change === "rotate" && message.body !== "",
          isForged: index === 1,
        });
    }
  } finally {
    await integration.stop();
  }
  return sent;
}

/** Returns a webhook as a list of one message. The list is empty if a header of Standard Webhooks is missing. */
function toSignedMessages({ headers, body }: ReceivedWebhook): SignedMessage[] {
  const [id, timestamp, signature] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`]);
  return typeof id === "string" && typeof timestamp === "string" && typeof signature === "string"
    ? [{ id, timestamp, signature, body: body.toString() }]
    : [];
}

/** Makes an implementation verify a message from the platform, unchanged and with single changes. */
function verifyPlatformMessage(
  implementation: Implementation,
  { message, currentSecret, isDuringRotation, isForged }: SentMessage,
  compare: Compare,
): void {
  const { id, timestamp, signature, body } = message;
  const prefix = `${implementation.name} on the platform's ${body === "" ? "check" : "delivery"}`;
  const verify = (label: string, shouldAccept: boolean, changes: Partial<SignedMessage>, key = currentSecret) =>
    compare(`${prefix} ${label}`, shouldAccept, implementation.verify(key, { ...message, ...changes }));
  verify("as sent", !isForged, {});
  if (isForged) return;
  verify("with the secret without its prefix", true, {}, currentSecret.slice("whsec_".length));
  verify("after a signature of another version", true, { signature: `v9,bm90IHJlYWQ= ${signature}` });
  const otherSecret = currentSecret === rotatedSecret ? secret : rotatedSecret;
  verify("with the secret before or after the rotation", isDuringRotation, {}, otherSecret);
  verify("with an unrelated secret", false, {}, unrelatedSecret);
  verify("with a changed body", false, { body: `${body} ` });
  verify("with a changed id", false, { id: `${id}0` });
  verify("with a changed timestamp", false, { timestamp: String(Number(timestamp) + 1) });
  verify("with its signatures labelled as another version", false, { signature: signature.replaceAll("v1,", "v2,") });
}

/** Makes the kit verify messages that an implementation signs, unchanged and with single changes. */
async function verifyWithKit(implementation: Implementation, compare: Compare): Promise<void> {
  const body = JSON.stringify({ offerId: "offer_1", workerId: "Zoë 東京 🦊", response: "accepted" });
  const verify = async (label: string, shouldAccept: boolean, testCase: Partial<Case>) => {
    const {
      receiverSecret = secret,
      senderSecrets = [secret],
      ageSeconds = 0,
      change = (message) => message,
    } = testCase;
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const message = { id: "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", timestamp, body: testCase.body ?? body };
    const signature = senderSecrets.map((key) => implementation.sign(key, message)).join(" ");
    const status = await receiveWithKit(change({ ...message, signature }), receiverSecret);
    compare(`the kit on a message from ${implementation.name} ${label}`, shouldAccept, status === 200);
    // A rejection with any other status than 401 is a difference too.
    if (!shouldAccept && status !== 401) compare(`the kit's status ${status} for a message ${label}`, true, false);
  };
  await verify("as signed", true, {});
  await verify("with the secret without its prefix", true, { receiverSecret: secret.slice("whsec_".length) });
  await verify("290 s ago", true, { ageSeconds: 290 });
  await verify("310 s ago", false, { ageSeconds: 310 });
  await verify("310 s ahead", false, { ageSeconds: -310 });
  for (const receiverSecret of [secret, rotatedSecret, [unrelatedSecret, rotatedSecret]])
    await verify("with the old and the new secret", true, { senderSecrets: [secret, rotatedSecret], receiverSecret });
  await verify("with an unrelated secret", false, { senderSecrets: [unrelatedSecret] });
  const changes: Record<string, (message: SignedMessage) => SignedMessage> = {
    "with a changed body": (message) => ({ ...message, body: message.body.replace("accepted", "rejected") }),
    "with a changed id": (message) => ({ ...message, id: "msg_other" }),
    "with a changed timestamp": (message) => ({ ...message, timestamp: String(Number(message.timestamp) - 1) }),
    "labelled as another version": (message) => ({ ...message, signature: message.signature.replace("v1,", "v2,") }),
    "without its padding": (message) => ({ ...message, signature: message.signature.replace("=", "") }),
  };
  for (const [label, change] of Object.entries(changes)) await verify(label, false, { change });
  await verify("next to signatures of other versions", true, {
    change: (message) => ({ ...message, signature: `v9,bm90IHJlYWQ= ${message.signature} v1a,bm90IHJlYWQ=` }),
  });
}

interface Case {
  body: string;
  receiverSecret: string | readonly string[];
  senderSecrets: readonly string[];
  ageSeconds: number;
  change: (message: SignedMessage) => SignedMessage;
}

/** Passes the message to a receiver built with the kit. @returns the response status */
async function receiveWithKit({ id, timestamp, signature, body }: SignedMessage, secrets: string | readonly string[]) {
  const handle = webhookHandler({
    secret: secrets,
    scheme: scheme(),
    deduplication: false,
    onRejected: () => undefined,
    onWorkerOfferResponse: () => undefined,
  });
  const response = await handle(
    new Request("http://integrator.example/offer/response", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature,
      },
      body,
    }),
  );
  return response.status;
}
