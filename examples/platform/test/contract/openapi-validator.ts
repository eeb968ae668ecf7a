import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parse } from "yaml";

/** An answer of the platform, as it came over the wire. */
export interface WireAnswer {
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
// ajv-formats has none; the pattern beside it says what counts.
ajv.addFormat("idn-email", true);
ajv.addSchema(document, documentId);

const escapeToken = (token: string): string => token.replaceAll("~", "~0").replaceAll("/", "~1");
const pointer = (...tokens: string[]): string => `#/${tokens.map(escapeToken).join("/")}`;

/** Asserts that an answer is one that spec/openapi.yaml documents for this operation; a member it does not name passes. */
export function expectDocumented(method: string, path: string, answer: WireAnswer): void {
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, path)) ?? "";
  const status = String(answer.status);
  const operation = document.paths[template]?.[method.toLowerCase()];
  const found = operation?.responses[status];
  if (operation !== undefined && found === undefined)
    throw new Error(`${method} ${path}: ${status} is not documented: ${answer.text}`);
  // What is no operation, such as an unknown path, is answered with a problem like all others.
  const shared = found === undefined ? "#/components/responses/BadRequest" : found.$ref;
  const at = shared ?? pointer("paths", template, method.toLowerCase(), "responses", status);
  const response = shared === undefined ? found : document.components.responses[shared.split("/").at(-1) ?? ""];
  if (response === undefined) throw new Error(`${shared} is missing in the document`);
  for (const [name, { required }] of Object.entries(response.headers ?? {}))
    if (required === true && !answer.headers.get(name))
      throw new Error(`${method} ${path}: ${answer.status} lacks the header ${name}`);
  checkContent(`${method} ${path} ${answer.status}`, at, response, answer);
}

function checkContent(where: string, at: string, { content }: ResponseObject, { headers, text }: WireAnswer): void {
  if (content === undefined) {
    if (text !== "") throw new Error(`${where}: a body where none is documented`);
    return;
  }
  const mediaType = headers.get("content-type")?.split(";")[0] ?? "none";
  if (!(mediaType in content)) throw new Error(`${where}: the media type ${mediaType} is not documented`);
  const validate = ajv.compile({ $ref: `${documentId}${at}/content/${escapeToken(mediaType)}/schema` });
  if (!validate(JSON.parse(text))) throw new Error(`${where}: ${ajv.errorsText(validate.errors)}`);
}

const matches = (template: string, path: string): boolean =>
  new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path.split("?")[0] ?? "");
