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
// Accept every string as an idn-email, because ajv-formats does not support this format. The document's pattern is still checked.
ajv.addFormat("idn-email", true);
ajv.addSchema(document, documentId);

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");
const jsonPointer = (...tokens: string[]): string => `#/${tokens.map(escapeToken).join("/")}`;

/**
 * Asserts that spec/openapi.yaml documents the status, required headers and body of the response. Accepts undocumented members in the body.
 */
export function expectDocumented(method: string, path: string, received: WireResponse): void {
  const { pointer, response } = findResponse(method, path, received);
  for (const [name, { required }] of Object.entries(response.headers ?? {}))
    if (required === true && !received.headers.get(name))
      throw new Error(`${method} ${path}: ${received.status} lacks the header ${name}`);
  expectContent(`${method} ${path} ${received.status}`, pointer, response, received);
}

/** Finds the documented response and its JSON pointer. Requests for unknown paths or methods must get a documented problem. */
function findResponse(method: string, path: string, { status, text }: WireResponse) {
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, path)) ?? "";
  const operation = document.paths[template]?.[method.toLowerCase()];
  // All problem responses have the same schema.
  if (operation === undefined) return findSharedResponse("#/components/responses/BadRequest");
  const response = operation.responses[status];
  if (response === undefined) throw new Error(`${method} ${path}: ${status} is not documented: ${text}`);
  if (response.$ref !== undefined) return findSharedResponse(response.$ref);
  return { pointer: jsonPointer("paths", template, method.toLowerCase(), "responses", String(status)), response };
}

function findSharedResponse(pointer: string): { pointer: string; response: ResponseObject } {
  const response = document.components.responses[pointer.split("/").at(-1) ?? ""];
  if (response === undefined) throw new Error(`${pointer} is missing from the document`);
  return { pointer, response };
}

/** Asserts that the body is empty if the document has no content, or else that its media type and members are documented. */
function expectContent(
  label: string,
  pointer: string,
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
  const validate = ajv.getSchema(`${documentId}${pointer}/content/${escapeToken(mediaType)}/schema`);
  if (validate === undefined) throw new Error(`${label}: the document has no schema at ${pointer}`);
  if (!validate(JSON.parse(text))) throw new Error(`${label}: ${ajv.errorsText(validate.errors)}`);
}

/** Returns whether the path, without its query, matches a path template such as `/offer/{id}`. */
const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path.split("?")[0] ?? "");
