import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** A response exactly as the platform sent it. */
export interface WireResponse {
  status: number;
  headers: Headers;
  text: string;
}

interface ResponseObject {
  $ref?: string;
  headers?: Record<string, { required?: boolean }>;
  content?: Record<string, object>;
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, ResponseObject> }>>;
  components: { responses: Record<string, ResponseObject> };
}

const documentId = "openapi.yaml";
const document: Document = parse(readFileSync(new URL("../../../../spec/openapi.yaml", import.meta.url), "utf8"));

const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
// Accept every idn-email, which ajv-formats does not support. The document also has a pattern.
ajv.addFormat("idn-email", true);
ajv.addSchema(document, documentId);

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");
const jsonPointer = (...tokens: string[]): string => `#/${tokens.map(escapeToken).join("/")}`;

/** Asserts that spec/openapi.yaml documents the response. Accepts undocumented members in its body. */
export function expectDocumented(method: string, path: string, received: WireResponse): void {
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, path)) ?? "";
  const status = String(received.status);
  const operation = document.paths[template]?.[method.toLowerCase()];
  const documented = operation?.responses[status];
  if (operation !== undefined && documented === undefined)
    throw new Error(`${method} ${path}: ${status} is not documented: ${received.text}`);
  // Requests for unknown paths or methods also get a problem.
  const shared = documented === undefined ? "#/components/responses/BadRequest" : documented.$ref;
  const location = shared ?? jsonPointer("paths", template, method.toLowerCase(), "responses", status);
  const response = shared === undefined ? documented : document.components.responses[shared.split("/").at(-1) ?? ""];
  if (response === undefined) throw new Error(`${shared} is missing from the document`);
  for (const [name, { required }] of Object.entries(response.headers ?? {}))
    if (required === true && !received.headers.get(name))
      throw new Error(`${method} ${path}: ${received.status} lacks the header ${name}`);
  checkContent(`${method} ${path} ${received.status}`, location, response, received);
}

function checkContent(
  label: string,
  location: string,
  { content }: ResponseObject,
  { headers, text }: WireResponse,
): void {
  if (content === undefined) {
    if (text !== "") throw new Error(`${label}: the documented response has no body`);
    return;
  }
  const mediaType = headers.get("content-type")?.split(";")[0] ?? "none";
  if (!(mediaType in content)) throw new Error(`${label}: the media type ${mediaType} is not documented`);
  // Unlike `ajv.compile` with a reference, this compiles the schema only once.
  const validate = ajv.getSchema(`${documentId}${location}/content/${escapeToken(mediaType)}/schema`);
  if (validate === undefined) throw new Error(`${label}: the document has no schema at ${location}`);
  if (!validate(JSON.parse(text))) throw new Error(`${label}: ${ajv.errorsText(validate.errors)}`);
}

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path.split("?")[0] ?? "");
