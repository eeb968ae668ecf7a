import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { fcmMessage } from "../../../examples/platform/src/push/fcm-transport.ts";
import type { NotificationReason } from "../../../examples/platform/src/push/push-transport.ts";
import { type OpenApi, type Operation, readOpenApi, resolveRef } from "./openapi.ts";
import { type Entry, listOperations, relinkFromSubfolder, toSlug } from "./print-operations.ts";
import { decisionLink, escapeCell, frontMatter, printFields, printType, withFullStop } from "./print-schema.ts";

/** A webhook's entry in spec/events.yaml. */
export interface Webhook {
  title: string;
  /** An event is retried until it is acknowledged; a request is sent once. */
  kind: "event" | "request";
  isLiveOnly?: true;
  keywords: string[];
  sent: string;
  decisions: string[];
  order: string;
  advice: string;
  /** TypeScript code that handles it with the kit. */
  handler: string;
}

interface Push {
  title: string;
  keywords: string[];
  sent: string;
  reasons: NotificationReason[];
}

interface EventsFile {
  webhooks: Record<string, Webhook>;
  pushes: Record<string, Push>;
}

const readEvents = (root: string): EventsFile => parse(readFileSync(join(root, "spec/events.yaml"), "utf8"));

/** Reads the webhooks in the OpenAPI document, each with its entry in spec/events.yaml. */
export function readWebhooks(root: string, api: OpenApi): (Entry & { webhook: Webhook })[] {
  const { webhooks } = readEvents(root);
  return listOperations(api, api.webhooks).map((entry) => {
    const webhook = webhooks[entry.operation.operationId];
    if (!webhook) throw new Error(`spec/events.yaml does not describe ${entry.operation.operationId}`);
    return { ...entry, webhook };
  });
}

/** Prints the event catalogue, by path: a page for each webhook and each push notification, and an index. */
export function printEvents(root: string): Map<string, string> {
  const api = readOpenApi(root);
  const entries = readWebhooks(root, api);
  const pushes = Object.entries(readEvents(root).pushes);
  return new Map([
    ["docs/events/README.md", relinkFromSubfolder(printIndex(entries, pushes))],
    ...entries.map(({ method, path, operation, webhook }): [string, string] => [
      `docs/events/${toSlug(operation.operationId)}.md`,
      relinkFromSubfolder(printWebhook(api, method, path, operation, webhook)),
    ]),
    ...pushes.map(([name, push]): [string, string] => [
      `docs/events/push-${name}.md`,
      relinkFromSubfolder(printPush(push)),
    ]),
  ]);
}

function printIndex(
  entries: readonly { method: string; path: string; operation: Operation; webhook: Webhook }[],
  pushes: readonly [string, Push][],
): string {
  const printRows = (kind: Webhook["kind"]) =>
    entries
      .filter(({ webhook }) => webhook.kind === kind)
      .map(({ method, path, operation: { operationId, summary }, webhook: { title, isLiveOnly } }) => {
        const remark = isLiveOnly ? " The live service only." : "";
        return `| [${title}](${toSlug(operationId)}.md) | \`${method} ${path}\` | ${escapeCell(withFullStop(summary))}${remark} |`;
      });
  const head = "| --- | --- | --- |";
  return [
    frontMatter(
      "Events",
      "Every event type: the webhooks that your receiver gets and the push notifications of workers.",
      "event types, webhook types, list of webhooks, payload",
    ),
    "# Events",
    "These are all event types: the webhooks that your receiver gets, and the push notifications that workers get. Each has a page with its trigger, headers, payload, an example as it is sent, retries, a handler, and a command that sends one to your receiver.",
    "## Webhooks that are events",
    "An event is sent until your receiver acknowledges it with **200**. [Delivery semantics](../guides/delivery.md) has the schedule.",
    [`| Event | Request | When |\n${head}`, ...printRows("event")].join("\n"),
    "## Webhooks that are requests",
    "The service waits for the response, and never retries.",
    [`| Request | Path | When |\n${head}`, ...printRows("request")].join("\n"),
    "## Push notifications",
    "They go to workers' phones and to the notifications menu of the worker app, not to your receiver.",
    [
      `| Push | To | When |\n${head}`,
      ...pushes.map(
        ([name, { title, sent }]) =>
          `| [${title}](push-${name}.md) | workers | ${escapeCell(sent.split(". ")[0] ?? "")}. |`,
      ),
    ].join("\n"),
    "There is no list of event types to subscribe to: your receiver gets every webhook whose endpoint it implements. The kit mounts an endpoint when you pass its handler.",
    "",
  ].join("\n\n");
}

const signedAt = "2099-04-20T09:30:12.000Z";
const secret = "demo-webhook-secret";
const deliveryId = "01f2a9c4-3b7e-7c11-9d20-5e8a4f6b7c88";

function printWebhook(api: OpenApi, method: string, path: string, operation: Operation, webhook: Webhook): string {
  const { operationId, parameters = [], requestBody, responses, security } = operation;
  const { title, kind, sent, decisions, order, advice, handler, keywords, isLiveOnly } = webhook;
  const resolved = parameters.map((parameter) => resolveRef(api, parameter));
  const [content] = Object.values(requestBody?.content ?? {});
  const schema = content?.schema ? resolveRef(api, content.schema) : undefined;
  const [example] = Object.values(content?.examples ?? {});
  const isSigned = security === undefined || security.length > 0;
  const filledPath = path.replace(/\{(\w+)\}/, (_, name) =>
    String(resolved.find((parameter) => parameter.name === name)?.example),
  );
  const [success] = Object.values(Object.values(responses["200"]?.content ?? {})[0]?.examples ?? {});
  const headers = resolved.filter(({ in: place }) => place === "header");
  return [
    frontMatter(title, `${method} ${path}: ${withFullStop(operation.summary)}`, keywords.join(", ")),
    `# ${title}`,
    `\`${method} ${path}\` below your base address`,
    ...(isLiveOnly
      ? [
          "> The live service sends this. [The contract](../contract.md) does not name it, and the reference platform does not send it.",
        ]
      : []),
    "## When it is sent",
    `${sent.trim()} (${decisions.map((id) => `[${id}](../spec/decisions.yaml)`).join(", ")})`,
    "## Headers",
    isSigned
      ? [
          "| Header | Meaning |\n| --- | --- |",
          ...headers.map(
            (one) => `| \`${one.name}\` | ${escapeCell(one.description ?? "")}${decisionLink(one["x-decision"])} |`,
          ),
          "| `Authorization` | `hmac` and 64 hexadecimal digits: the SHA-256 of `Timestamp` and your secret. ([D-15](../spec/decisions.yaml)) |",
          ...(schema ? ["| `Content-Type` | `application/json` |"] : []),
        ].join("\n")
      : "It carries no signature.",
    "## Payload",
    ...(schema ? [printFields(schema)] : [describePathPayload(path, resolved)]),
    "## Example request",
    printRequest(method, filledPath, isSigned, kind === "event", example?.value),
    "## What to respond",
    printResponses(api, responses, kind),
    ...(success ? ["**Example of 200**", `\`\`\`json\n${JSON.stringify(success.value, undefined, 2)}\n\`\`\``] : []),
    advice.trim(),
    "## Retries and order",
    kind === "event"
      ? `Without a 200 it is [retried](../guides/delivery.md#retries): ten attempts over about 45 hours, each signed again with a new \`Timestamp\`, under the same \`Offers-Delivery-Id\`. It may arrive [more than once](../guides/delivery.md#duplicates). ${order}`
      : order,
    "## Handle it",
    `\`\`\`ts\n${handler.trim()}\n\`\`\``,
    "The options are the same in every [framework](../guides/frameworks/README.md). Without the kit: [Verify in other languages](../guides/other-languages.md).",
    "## Send one to your receiver",
    printTabs(method, filledPath, toSlug(operationId), isSigned, example?.value),
    "",
  ].join("\n\n");
}

/** Describes a webhook without a body, whose data is in its path. */
function describePathPayload(
  path: string,
  parameters: readonly { name: string; in: string; description?: string }[],
): string {
  const pathParameter = parameters.find(({ in: place }) => place === "path");
  if (!pathParameter) return "It has no body.";
  return `It has no body. \`${pathParameter.name}\` is in the path \`${path}\`. ${pathParameter.description?.replace(" There is no payload.", "") ?? ""}`;
}

/** Prints the request byte for byte, signed with the demo's secret. */
function printRequest(method: string, path: string, isSigned: boolean, isEvent: boolean, body: unknown): string {
  const digest = createHash("sha256")
    .update(signedAt + secret)
    .digest("hex")
    .toUpperCase();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const lines = [
    `${method} /offers${path} HTTP/1.1`,
    "host: your.example",
    "accept: application/json",
    "user-agent: offers-platform",
    ...(text === undefined ? [] : ["content-type: application/json", `content-length: ${Buffer.byteLength(text)}`]),
    ...(isEvent ? [`Offers-Delivery-Id: ${deliveryId}`] : []),
    ...(isSigned ? [`Timestamp: ${signedAt}`, `Authorization: hmac ${digest}`] : []),
    ...(text === undefined ? [] : ["", text]),
  ];
  return `\`\`\`http\n${lines.join("\n")}\n\`\`\`\n\n${isSigned ? `The base address is \`https://your.example/offers\`, and the secret is \`${secret}\`.` : "The base address is `https://your.example/offers`."}`;
}

const printResponses = (api: OpenApi, responses: Operation["responses"], kind: Webhook["kind"]): string =>
  [
    "| Status | What the service does |",
    "| --- | --- |",
    ...Object.entries(responses).map(([status, given]) => {
      const { description, content, "x-decision": decision } = resolveRef(api, given);
      const [schema] = Object.values(content ?? {}).map(({ schema }) => schema ?? {});
      const body = schema ? ` The body is ${printType(schema)}.` : "";
      return `| ${status === "default" ? "any other" : status} | ${escapeCell(description)}${body}${decisionLink(decision)} |`;
    }),
    ...(kind === "event"
      ? [
          "| 201, 202, 204, a redirect, or any other | It is not acknowledged, and is sent again. ([D-13](../spec/decisions.yaml)) |",
        ]
      : []),
  ].join("\n");

/** Prints tabs for the command line and curl, both of which `npm run check -- docs` runs. */
function printTabs(method: string, path: string, name: string, isSigned: boolean, body: unknown): string {
  const data = body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body)}'`];
  const signature = isSigned ? ['  -H "Timestamp: $timestamp"', '  -H "Authorization: hmac $digest"'] : [];
  const curl = [
    `curl -i ${method === "GET" ? "" : `-X ${method} `}http://127.0.0.1:3001/offers${path}`,
    ...signature,
    ...data,
  ].join(" \\\n");
  const signing = `timestamp=$(date -u +%Y-%m-%dT%H:%M:%SZ)
digest=$(printf '%s' "$timestamp$WEBHOOK_SECRET" | openssl dgst -sha256 -r | cut -c 1-64)
`;
  return [
    ":::tabs key:sender",
    "== offers",
    `\`\`\`sh\noffers trigger ${name} --to http://127.0.0.1:3001/offers\n\`\`\``,
    "== curl",
    `\`\`\`sh\n${isSigned ? signing : ""}${curl}\n\`\`\``,
    ":::",
    `${isSigned ? "Both read your secret from `WEBHOOK_SECRET`. " : ""}\`offers\` is the command of [\`@offers/cli\`](../../packages/cli/README.md); \`--set\` changes a field. The tests run both against a receiver that is built with the kit.`,
  ].join("\n\n");
}

const exampleDevice = (platform: "ios" | "android") => ({
  id: "device_1",
  workerId: "worker_amal",
  platform,
  token: "fcm-registration-token",
});

function printPush({ title, keywords, sent, reasons }: Push): string {
  const work = {
    id: 42,
    workerId: "worker_amal",
    deviceId: "device_1",
    offerId: "offer_4f1c2a",
    offerTitle: "Kitchen help on Friday",
    createdAt: new Date("2099-04-20T09:30:00Z"),
    events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
    place: "Harbour Kitchen",
    timeZone: "Europe/Stockholm",
  };
  const message = (platform: "ios" | "android", reason: NotificationReason) =>
    `\`\`\`json\n${JSON.stringify({ message: fcmMessage(exampleDevice(platform), { ...work, reason }, new Date("2099-04-20T09:30:00Z")) }, undefined, 2)}\n\`\`\``;
  const [reason = "offer"] = reasons;
  return [
    frontMatter(
      title,
      `The push notification to workers. ${sent.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(". ")[0]}.`,
      keywords.join(", "),
    ),
    `# ${title}`,
    "A push notification to workers. Your receiver does not get it.",
    "## When it is sent",
    sent.trim(),
    "## Payload",
    [
      "| Field of `data` | Meaning |\n| --- | --- |",
      "| `offerId` | The offer that the app opens when the worker taps the notification. |",
      `| \`reason\` | ${reasons.map((code) => `\`${code}\``).join(" or ")} |`,
      "| `sequence` | An ascending number, as a string. A push with a smaller number than the last is late and can be ignored. ([D-99](../../spec/decisions.yaml)) |",
    ].join("\n"),
    "`notification` is the text that the phone shows: the title of the offer, when in the worker's time zone, and where ([D-118](../../spec/decisions.yaml)).",
    "## Example request",
    "The reference platform sends this to Firebase Cloud Messaging, `POST /v1/projects/{project}/messages:send` ([D-79](../../spec/decisions.yaml)):",
    [":::tabs key:phone", "== Android", message("android", reason), "== iOS", message("ios", reason), ":::"].join(
      "\n\n",
    ),
    ...(reasons.length > 1
      ? [
          `A worker with \`${reasons[1]}\` gets ${JSON.stringify((fcmMessage(exampleDevice("android"), { ...work, reason: reasons[1] ?? "offer" }, new Date()) as { notification: { title: string } }).notification.title)} as the title.`,
        ]
      : []),
    "## Retries and order",
    "Each device gets one push, with up to ten attempts; each pause is twice as long as the one before ([D-48](../../spec/decisions.yaml)). For each worker, device and offer a newer push supersedes an older one that is still waiting ([D-99](../../spec/decisions.yaml)). The notifications menu shows every notification in any case, also to a worker without a device.",
    "## Try it",
    "Without credentials for Firebase, the reference platform shows every notification in the worker app at `/app`, and sends none to a phone. In a test, `service.notifications` of [`createTestService`](../guides/testing.md) lists them.",
    "",
  ].join("\n\n");
}
