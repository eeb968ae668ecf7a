import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { buildFcmMessage } from "../../../examples/platform/src/push/fcm-transport.ts";
import type { NotificationReason } from "../../../examples/platform/src/push/push-transport.ts";
import { type OpenApi, type Operation, readOpenApi, resolveRef } from "./openapi.ts";
import { type Entry, listOperations, relinkFromSubfolder, toSlug } from "./render-operations.ts";
import {
  decisionLink,
  describeType,
  escapeCell,
  renderFields,
  renderFrontMatter,
  withFullStop,
} from "./render-schema.ts";

/** The entry of a webhook in spec/events.yaml. */
export interface Webhook {
  title: string;
  /** The service retries an event until it is acknowledged, but sends a request only once. */
  kind: "event" | "request";
  isLiveOnly?: true;
  keywords: string[];
  sent: string;
  decisions: string[];
  order: string;
  advice: string;
  /** TypeScript code that handles the webhook with the kit. */
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

/** Renders the pages of the event catalogue, keyed by path: an index, and a page for each webhook and each push notification. */
export function renderEvents(root: string): Map<string, string> {
  const api = readOpenApi(root);
  const entries = readWebhooks(root, api);
  const pushes = Object.entries(readEvents(root).pushes);
  return new Map([
    ["docs/events/README.md", relinkFromSubfolder(renderIndex(entries, pushes))],
    ...entries.map(({ method, path, operation, webhook }): [string, string] => [
      `docs/events/${toSlug(operation.operationId)}.md`,
      relinkFromSubfolder(renderWebhook(api, method, path, operation, webhook)),
    ]),
    ...pushes.map(([name, push]): [string, string] => [
      `docs/events/push-${name}.md`,
      relinkFromSubfolder(renderPush(push)),
    ]),
  ]);
}

function renderIndex(
  entries: readonly { method: string; path: string; operation: Operation; webhook: Webhook }[],
  pushes: readonly [string, Push][],
): string {
  const renderRows = (kind: Webhook["kind"]) =>
    entries
      .filter(({ webhook }) => webhook.kind === kind)
      .map(({ method, path, operation: { operationId, summary }, webhook: { title, isLiveOnly } }) => {
        const remark = isLiveOnly ? " Only the live service sends it." : "";
        return `| [${title}](${toSlug(operationId)}.md) | \`${method} ${path}\` | ${escapeCell(withFullStop(summary))}${remark} |`;
      });
  const separatorRow = "| --- | --- | --- |";
  return [
    renderFrontMatter(
      "Events",
      "Every event type: the webhooks that your receiver gets and the push notifications that workers get.",
      "event types, webhook types, list of webhooks, payload",
    ),
    "# Events",
    "These are all event types: the webhooks that your receiver gets, and the push notifications that workers get. Each has a page that describes its trigger, headers, payload and retries. The page of a webhook also shows an example request, a handler, and a command that sends the webhook to your receiver.",
    "## Webhooks that are events",
    "The service sends an event until your receiver acknowledges it with **200**. [Delivery semantics](../guides/delivery.md) shows the schedule.",
    [`| Event | Request | When |\n${separatorRow}`, ...renderRows("event")].join("\n"),
    "## Webhooks that are requests",
    "The service sends a request once, waits for the response, and never retries.",
    [`| Request | Path | When |\n${separatorRow}`, ...renderRows("request")].join("\n"),
    "## Push notifications",
    "Workers get push notifications on their phones and in the notifications menu of the worker app. Your receiver does not get them.",
    [
      `| Push | To | When |\n${separatorRow}`,
      ...pushes.map(
        ([name, { title, sent }]) =>
          `| [${title}](push-${name}.md) | workers | ${escapeCell(sent.split(". ")[0] ?? "")}. |`,
      ),
    ].join("\n"),
    "You do not subscribe to event types: your receiver gets every webhook whose endpoint it implements. The kit mounts an endpoint when you pass its handler.",
    "",
  ].join("\n\n");
}

const signedAt = "2099-04-20T09:30:12.000Z";
const secret = "demo-webhook-secret";
const deliveryId = "01f2a9c4-3b7e-7c11-9d20-5e8a4f6b7c88";

function renderWebhook(api: OpenApi, method: string, path: string, operation: Operation, webhook: Webhook): string {
  const { operationId, parameters = [], requestBody, responses, security } = operation;
  const { title, kind, sent, decisions, order, advice, handler, keywords, isLiveOnly } = webhook;
  const resolvedParameters = parameters.map((parameter) => resolveRef(api, parameter));
  const [content] = Object.values(requestBody?.content ?? {});
  const schema = content?.schema ? resolveRef(api, content.schema) : undefined;
  const [example] = Object.values(content?.examples ?? {});
  const isSigned = security === undefined || security.length > 0;
  const filledPath = path.replace(/\{(\w+)\}/, (_, name) =>
    String(resolvedParameters.find((parameter) => parameter.name === name)?.example),
  );
  const [successExample] = Object.values(Object.values(responses["200"]?.content ?? {})[0]?.examples ?? {});
  const headers = resolvedParameters.filter(({ in: place }) => place === "header");
  return [
    renderFrontMatter(title, `${method} ${path}: ${withFullStop(operation.summary)}`, keywords.join(", ")),
    `# ${title}`,
    `\`${method} ${path}\`, relative to your base URL`,
    ...(isLiveOnly
      ? [
          "> Only the live service sends this event. [The contract](../contract.md) does not mention it, and the reference platform does not send it.",
        ]
      : []),
    "## When it is sent",
    `${sent.trim()} (${decisions.map((id) => `[${id}](../spec/decisions.yaml)`).join(", ")})`,
    "## Headers",
    isSigned
      ? [
          "| Header | Meaning |\n| --- | --- |",
          ...headers.map(
            ({ name, description = "", "x-decision": decision }) =>
              `| \`${name}\` | ${escapeCell(description)}${decisionLink(decision)} |`,
          ),
          "| `Authorization` | `hmac` and 64 hexadecimal digits: the SHA-256 of `Timestamp` followed by your secret. ([D-15](../spec/decisions.yaml)) |",
          ...(schema ? ["| `Content-Type` | `application/json` |"] : []),
        ].join("\n")
      : "The request is not signed.",
    "## Payload",
    ...(schema ? [renderFields(schema)] : [describePathPayload(path, resolvedParameters)]),
    "## Example request",
    renderRequest(method, filledPath, isSigned, kind === "event", example?.value),
    "## What to respond",
    renderResponses(api, responses, kind),
    ...(successExample
      ? ["**Example of a 200 response**", `\`\`\`json\n${JSON.stringify(successExample.value, undefined, 2)}\n\`\`\``]
      : []),
    advice.trim(),
    "## Retries and order",
    kind === "event"
      ? `Until your receiver responds with 200, the service [retries](../guides/delivery.md#retries) the event: it makes ten attempts over about 45 hours. Each attempt has a new \`Timestamp\` and signature, and the same \`Offers-Delivery-Id\`. The event may arrive [more than once](../guides/delivery.md#duplicates). ${order}`
      : order,
    "## Handle it",
    `\`\`\`ts\n${handler.trim()}\n\`\`\``,
    "The options are the same in every [framework](../guides/frameworks/README.md). If you do not use the kit, see [Verify in other languages](../guides/other-languages.md).",
    "## Send one to your receiver",
    renderTabs(method, filledPath, toSlug(operationId), isSigned, example?.value),
    "",
  ].join("\n\n");
}

/** Describes the payload of a webhook without a body, which sends its data in the path. */
function describePathPayload(
  path: string,
  parameters: readonly { name: string; in: string; description?: string }[],
): string {
  const pathParameter = parameters.find(({ in: place }) => place === "path");
  if (!pathParameter) return "The request has no body.";
  // The returned text starts with this fact.
  const description = pathParameter.description?.replace(" There is no payload.", "") ?? "";
  return `The request has no body. \`${pathParameter.name}\` is in the path \`${path}\`. ${description}`;
}

/** Renders the request byte for byte, signed with the demo secret if the webhook is signed. */
function renderRequest(method: string, path: string, isSigned: boolean, isEvent: boolean, body: unknown): string {
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
  const secretClause = isSigned ? `, and the secret is \`${secret}\`` : "";
  return `\`\`\`http\n${lines.join("\n")}\n\`\`\`\n\nThe base URL is \`https://your.example/offers\`${secretClause}.`;
}

const renderResponses = (api: OpenApi, responses: Operation["responses"], kind: Webhook["kind"]): string =>
  [
    "| Status | What the service does |",
    "| --- | --- |",
    ...Object.entries(responses).map(([status, response]) => {
      const { description, content, "x-decision": decision } = resolveRef(api, response);
      const [schema] = Object.values(content ?? {}).map(({ schema }) => schema ?? {});
      const body = schema ? ` The body is ${describeType(schema)}.` : "";
      return `| ${status === "default" ? "any other" : status} | ${escapeCell(description)}${body}${decisionLink(decision)} |`;
    }),
    ...(kind === "event"
      ? [
          "| 201, 202, 204, a redirect, or any other | The event is not acknowledged, and is sent again. ([D-13](../spec/decisions.yaml)) |",
        ]
      : []),
  ].join("\n");

/** Renders a tab for `offers trigger` and a tab for curl. `npm run check -- docs` runs both commands. */
function renderTabs(method: string, path: string, name: string, isSigned: boolean, body: unknown): string {
  const data = body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(body)}'`];
  const signature = isSigned ? ['  -H "Timestamp: $timestamp"', '  -H "Authorization: hmac $digest"'] : [];
  const methodOption = method === "GET" ? "" : `-X ${method} `;
  const curl = [`curl -i ${methodOption}http://127.0.0.1:3001/offers${path}`, ...signature, ...data].join(" \\\n");
  const signingCommands = `timestamp=$(date -u +%Y-%m-%dT%H:%M:%SZ)
digest=$(printf '%s' "$timestamp$WEBHOOK_SECRET" | openssl dgst -sha256 -r | cut -c 1-64)
`;
  const secretSentence = isSigned ? "Both commands read your secret from `WEBHOOK_SECRET`. " : "";
  return [
    ":::tabs key:sender",
    "== offers",
    `\`\`\`sh\noffers trigger ${name} --to http://127.0.0.1:3001/offers\n\`\`\``,
    "== curl",
    `\`\`\`sh\n${isSigned ? signingCommands : ""}${curl}\n\`\`\``,
    ":::",
    `${secretSentence}[\`@offers/cli\`](../../packages/cli/README.md) provides the \`offers\` command; its option \`--set\` changes a field. The tests run both commands against a receiver that is built with the kit.`,
  ].join("\n\n");
}

const exampleDevice = (platform: "ios" | "android") => ({
  id: "device_1",
  workerId: "worker_amal",
  platform,
  token: "fcm-registration-token",
});

function renderPush({ title, keywords, sent, reasons }: Push): string {
  const task = {
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
  const renderMessage = (platform: "ios" | "android", reason: NotificationReason) => {
    const message = buildFcmMessage(exampleDevice(platform), { ...task, reason }, new Date("2099-04-20T09:30:00Z"));
    return `\`\`\`json\n${JSON.stringify({ message }, undefined, 2)}\n\`\`\``;
  };
  const [reason = "offer"] = reasons;
  return [
    renderFrontMatter(
      title,
      `The push notification to workers. ${sent.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").split(". ")[0]}.`,
      keywords.join(", "),
    ),
    `# ${title}`,
    "Workers get this push notification. Your receiver does not get it.",
    "## When it is sent",
    sent.trim(),
    "## Payload",
    [
      "| Field of `data` | Meaning |\n| --- | --- |",
      "| `offerId` | The offer that the app opens when the worker taps the notification. |",
      `| \`reason\` | ${reasons.map((code) => `\`${code}\``).join(" or ")} |`,
      "| `sequence` | A number that increases with each push, as a string. If a push has a smaller number than the previous one, it is late, and the app can ignore it. ([D-99](../../spec/decisions.yaml)) |",
    ].join("\n"),
    "`notification` is the text that the phone shows: the offer's title, its time in the worker's time zone, and its place ([D-118](../../spec/decisions.yaml)).",
    "## Example request",
    "The reference platform sends this to Firebase Cloud Messaging, `POST /v1/projects/{project}/messages:send` ([D-79](../../spec/decisions.yaml)):",
    [
      ":::tabs key:phone",
      "== Android",
      renderMessage("android", reason),
      "== iOS",
      renderMessage("ios", reason),
      ":::",
    ].join("\n\n"),
    ...(reasons.length > 1
      ? [
          `If \`reason\` is \`${reasons[1]}\`, the title is ${JSON.stringify((buildFcmMessage(exampleDevice("android"), { ...task, reason: reasons[1] ?? "offer" }, new Date()) as { notification: { title: string } }).notification.title)}.`,
        ]
      : []),
    "## Retries and order",
    "The platform sends one push to each device. It makes up to ten attempts, and each pause between them is twice as long as the one before ([D-48](../../spec/decisions.yaml)). A newer push about the same offer supersedes an older one that is still waiting for the same device ([D-99](../../spec/decisions.yaml)). The notifications menu shows every notification, even to workers without a device.",
    "## Try it",
    "Without Firebase credentials, the reference platform shows every notification in the worker app at `/app`, but does not send it to phones. In a test, `service.notifications` of [`createTestService`](../guides/testing.md) lists the notifications.",
    "",
  ].join("\n\n");
}
