import type { OperationName } from "../../../packages/client/src/http.ts";
import { apiKeyHeader } from "../../../packages/contract/src/generated/decisions.ts";
import { type OpenApi, type Operation, type Parameter, type Response, readOpenApi, resolveRef } from "./openapi.ts";
import { type OperationError, readOperationErrors } from "./operation-errors.ts";
import {
  decisionLink,
  describeType,
  escapeCell,
  renderFields,
  renderFrontMatter,
  withFullStop,
} from "./render-schema.ts";

/** An operation of the service, with the data for its page. */
export interface Entry {
  api: OpenApi;
  method: string;
  path: string;
  operation: Operation;
  /** The errors that a call with the client can throw; empty if the client has no method for the operation. */
  errors?: readonly OperationError[];
}

/** Renders a page for each operation, keyed by path. */
export function renderOperations(root: string): Map<string, string> {
  const api = readOpenApi(root);
  const errors = readOperationErrors(root);
  return new Map(
    listOperations(api, api.paths).map((entry) => {
      const { operationId } = entry.operation;
      const page = renderPage({ ...entry, errors: errors.get(operationId as OperationName) ?? [] });
      return [`docs/operations/${toSlug(operationId)}.md`, page];
    }),
  );
}

export const listOperations = (api: OpenApi, paths: OpenApi["paths"]): Entry[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ api, method: method.toUpperCase(), path, operation })),
  );

/** Converts `CreateOffer` to `create-offer`, for URLs and command lines. */
export const toSlug = (operationId: string): string => operationId.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase();

/** Adapts links that are relative to docs/ to a page in a subfolder of docs/. */
export const relinkFromSubfolder = (markdown: string): string =>
  markdown
    .replaceAll("](../spec/", "](../../spec/")
    .replaceAll("](guides/", "](../guides/")
    .replaceAll("](#", "](../http-reference.md#");

export const isInContract = ({ operation }: Entry): boolean => operation["x-extension"] === undefined;

function renderPage({ api, method, path, operation, errors = [] }: Entry): string {
  const { operationId, summary, description = "", parameters = [], requestBody, responses } = operation;
  const resolvedParameters = parameters.map((parameter) => resolveRef(api, parameter));
  const introduction = [
    withFullStop(summary),
    escapeCell(description),
    decisionLink(operation["x-decision"]).trim(),
    purposes[operationId]?.purpose ?? "",
  ].filter(Boolean);
  const page = [
    renderFrontMatter(
      operationId,
      `${method} ${path}: ${summary}. In TypeScript, curl and Python.`,
      purposes[operationId]?.keywords ?? "",
    ),
    `# ${operationId}`,
    `\`${method} ${path}\``,
    introduction.join(" "),
    "## Call it",
    renderTabs(api, method, path, operation),
    ...(resolvedParameters.length > 0 ? ["## Parameters", renderParameters(resolvedParameters)] : []),
    ...(requestBody ? renderBody(api, requestBody) : []),
    "## Responses",
    renderResponses(api, responses),
    ...renderExample(responses),
    ...renderErrorBodies(api, responses),
    ...renderErrors(operationId, errors),
    "Every error has a stable `code`, explained on [one page](../errors.md).",
    "",
  ].join("\n\n");
  return relinkFromSubfolder(page);
}

/** The purpose of each operation, in the words that readers search for. */
const purposes: Record<string, { keywords: string; purpose: string }> = {
  CreateOffer: {
    keywords: "send an offer, create an offer, maximum number of workers, limits",
    purpose: "Use it to send an offer of work to up to 10,000 workers.",
  },
  GetOffer: {
    keywords: "read an offer, offer status, who applied, recipients",
    purpose: "Use it to check an offer's status and see who applied.",
  },
  CompleteOffer: {
    keywords: "assign workers, confirm workers, complete an offer",
    purpose: "Use it to complete an offer: it assigns the work to workers who have applied, and confirms them.",
  },
  ListEvents: {
    keywords: "event feed, list events, poll events, missed events, pagination, paginate, cursor",
    purpose: "Use it after an outage: [After an outage](guides/after-an-outage.md) shows a complete program.",
  },
  RedeliverEvents: { keywords: "redeliver all, replay events", purpose: "" },
  RedeliverEvent: { keywords: "redeliver one, replay an event", purpose: "" },
  WithdrawOffer: {
    keywords: "cancel an offer, delete an offer, withdraw an offer",
    purpose:
      "Use it to cancel an offer. No operation deletes offers: [List or change offers](guides/offers.md) explains what to do instead.",
  },
};

const baseUrl = "http://127.0.0.1:3000";
const apiKey = "demo-key-harbour";

/** Renders the same call in three languages. `npm run check -- docs` runs all of them against the reference platform. */
function renderTabs(api: OpenApi, method: string, path: string, operation: Operation): string {
  const parameters = (operation.parameters ?? []).map((parameter) => resolveRef(api, parameter));
  const id = parameters.find((parameter) => parameter.in === "path")?.example;
  const query = parameters.some((parameter) => parameter.in === "query" && parameter.required)
    ? "?api-version=1.0"
    : "";
  const url = `${baseUrl}${path.replace("{id}", String(id))}${query}`;
  const [example] = Object.values(Object.values(operation.requestBody?.content ?? {})[0]?.examples ?? {});
  const body = example === undefined ? undefined : formatJson(example.value);
  const hasResponseBody = Object.values(operation.responses).some(({ content }) => content?.["application/json"]);
  return [
    ":::tabs key:language",
    "== TypeScript",
    operation["x-extension"] === undefined
      ? renderTypeScript(operation.operationId, id, body, hasResponseBody)
      : renderFetch(method, url, body),
    "== curl",
    renderCurl(method, url, body),
    "== Python",
    renderPython(method, url, body, hasResponseBody),
    ":::",
    `The key and the ids belong to the demo data of the [reference platform](../../examples/platform/README.md). For TypeScript, install [\`@offers/client\`](../../packages/client/README.md). The Python sample uses only the standard library. The tests run all three samples against the platform.`,
  ].join("\n\n");
}

function renderTypeScript(
  operationId: string,
  id: unknown,
  body: string | undefined,
  hasResponseBody: boolean,
): string {
  const name = operationId.charAt(0).toLowerCase() + operationId.slice(1);
  const args: string[] = [];
  if (id !== undefined) args.push(JSON.stringify(id));
  // TypeScript needs no quotes around these keys.
  if (body !== undefined) args.push(body.replace(/^(\s*)"(\w+)":/gm, "$1$2:"));
  const call = `offers.${name}(${args.join(", ")})`;
  return `\`\`\`ts
import { OffersClient } from "@offers/client";

const offers = new OffersClient({ baseUrl: "${baseUrl}", apiKey: "${apiKey}" });

${hasResponseBody ? `const offer = await ${call};\nconsole.log(offer);` : `await ${call};`}
\`\`\``;
}

/** Renders a call with fetch, for an operation without a client method. */
function renderFetch(method: string, url: string, body: string | undefined): string {
  const headers = [
    `"${apiKeyHeader}": "${apiKey}"`,
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const init = [
    ...(method === "GET" ? [] : [`  method: "${method}",`]),
    `  headers: { ${headers.join(", ")} },`,
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${body.replace(/^(\s*)"(\w+)":/gm, "$1$2:").replaceAll("\n", "\n  ")}),`]),
  ];
  return `\`\`\`ts
const response = await fetch("${url}", {
${init.join("\n")}
});
console.log(response.status, await response.json());
\`\`\``;
}

function renderCurl(method: string, url: string, body: string | undefined): string {
  const methodOption = method === "GET" ? "" : `-X ${method} `;
  const lines = [
    `curl --fail-with-body ${methodOption}'${url}'`,
    `  -H '${apiKeyHeader}: ${apiKey}'`,
    ...(body === undefined ? [] : ["  -H 'Content-Type: application/json'", `  -d '${body}'`]),
  ];
  return `\`\`\`sh\n${lines.join(" \\\n")}\n\`\`\``;
}

function renderPython(method: string, url: string, body: string | undefined, hasResponseBody: boolean): string {
  const headers = [
    `"${apiKeyHeader}": "${apiKey}"`,
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ].join(", ");
  const content = body === undefined ? [] : [`body = ${body}`, ""];
  return `\`\`\`python
${[
  ...(body !== undefined || hasResponseBody ? ["import json"] : []),
  "import urllib.request",
  "",
  ...content,
  "request = urllib.request.Request(",
  `    "${url}",`,
  `    method="${method}",`,
  `    headers={${headers}},`,
  ...(body === undefined ? [] : ["    data=json.dumps(body).encode(),"]),
  ")",
  "with urllib.request.urlopen(request, timeout=10) as response:",
  `    print(response.status${hasResponseBody ? ", json.load(response)" : ""})`,
].join("\n")}
\`\`\``;
}

function renderParameters(parameters: readonly Parameter[]): string {
  const rows = parameters.map((parameter) => {
    const { name, in: place, required, description = "", schema = {}, "x-decision": decision } = parameter;
    const meaning = `${description} Type: ${describeType(schema)}.${decisionLink(decision)}`;
    return `| \`${name}\` | ${place} | ${required ? "yes" : ""} | ${escapeCell(meaning)} |`;
  });
  return ["| Parameter | In | Required | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function renderBody(api: OpenApi, { content }: NonNullable<Operation["requestBody"]>): string[] {
  const [mediaType, { schema = {} }] = Object.entries(content)[0] ?? ["", {}];
  const { properties } = resolveRef(api, schema);
  return [
    "## Body",
    `${describeType(schema)}, as \`${mediaType}\`.`,
    ...(properties ? [renderFields(resolveRef(api, schema))] : []),
  ];
}

const renderResponses = (api: OpenApi, responses: Operation["responses"]): string =>
  [
    "| Status | Meaning | Body |",
    "| --- | --- | --- |",
    ...Object.entries(responses).map(([code, responseOrRef]) => {
      const { description, content = {}, "x-decision": decision } = resolveRef(api, responseOrRef);
      const status = code === "default" ? "any other" : code;
      return `| ${status} | ${escapeCell(description)}${decisionLink(decision)} | ${renderResponseBody(content)} |`;
    }),
  ].join("\n");

function renderResponseBody(content: NonNullable<Response["content"]>): string {
  const [schema] = Object.values(content).map(({ schema }) => schema);
  return schema ? describeType(schema) : "";
}

/** Renders the errors that the result type of `safe()` lists, and explains how to handle every case. */
function renderErrors(operationId: string, errors: readonly OperationError[]): string[] {
  if (errors.length === 0) return [];
  const rows = errors.map(({ code, className, statuses, explanation }) => {
    const creator = explanation.by === "server" ? "another server" : "client";
    const statusCell = statuses.length > 0 ? statuses.join(", ") : creator;
    return `| [\`${code}\`](../errors.md#${code}) | \`${className}\` | ${statusCell} | ${escapeCell(explanation.meaning)} |`;
  });
  return [
    "## Errors",
    `A call with [\`@offers/client\`](../../packages/client/README.md) can fail with these errors. The type of the result of \`safe()\` lists them, and \`isOperationError(error, "${operationId}")\` narrows a caught error to them. *Another server* means that a gateway responded, or the server at a wrong \`baseUrl\`. *Client* means that the client itself creates the error.`,
    ["| Code | Class | Status | Meaning |", "| --- | --- | --- | --- |", ...rows].join("\n"),
    "If the `default` of a `switch` over `error.code` assigns the error to `never`, the code does not compile while a case is missing. Keep the `default`, because a newer service may respond with a status that is not in the table.",
  ];
}

/** Renders the example of a successful response. */
function renderExample(responses: Operation["responses"]): string[] {
  const [status, response] = Object.entries(responses).find(([code]) => code.startsWith("2")) ?? [];
  const [example] = Object.values(Object.values(response?.content ?? {})[0]?.examples ?? {});
  return example ? [`**Example of ${status}**`, renderJsonBlock(example.value)] : [];
}

/** Renders the body of each error response in its own tab. */
function renderErrorBodies(api: OpenApi, responses: Operation["responses"]): string[] {
  const examples = Object.entries(responses).flatMap(([status, responseOrRef]) => {
    const content = resolveRef(api, responseOrRef).content?.["application/problem+json"];
    return Object.values(content?.examples ?? {}).map(({ value }) => `== ${status}\n\n${renderJsonBlock(value)}`);
  });
  return examples.length === 0 ? [] : ["**Examples of errors**", [":::tabs", ...examples, ":::"].join("\n\n")];
}

/** Formats JSON, with lists of strings on one line. */
const formatJson = (value: unknown): string =>
  JSON.stringify(value, undefined, 2).replace(
    /\[\s+("[^[\]{}]*?")\s+\]/g,
    (_, list: string) => `[${list.replace(/\s*\n\s*/g, " ")}]`,
  );

const renderJsonBlock = (value: unknown): string => `\`\`\`json\n${formatJson(value)}\n\`\`\``;
