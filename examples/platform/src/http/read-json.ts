import { type Request, type Response, raw } from "express";
import { ProblemError } from "../problem/problem-error.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The JSON body of a request; its bytes stay in `request.body`. Called by a route once it knows who is asking. */
export type ReadJson = (request: Request, response: Response) => Promise<unknown>;

/**
 * Makes the function that reads JSON bodies of at most `limitBytes`.
 *
 * @throws {ProblemError} `missing_body`, `unsupported_media_type`, `body_too_large` or `malformed_json`
 */
export function jsonReader(limitBytes: number): ReadJson {
  const readBytes = raw({ type: () => true, limit: limitBytes });
  return async (request, response) => {
    checkMediaType(request);
    await new Promise<void>((resolve, reject) => {
      readBytes(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(refusalOf(error))));
    });
    return parse(request.body);
  };

  function refusalOf(error: unknown): unknown {
    const type = error instanceof Error && "type" in error ? error.type : undefined;
    if (type === "entity.too.large")
      return new ProblemError("body_too_large", `Send at most ${limitBytes} bytes.`, { cause: error });
    if (type === "encoding.unsupported")
      return new ProblemError("unsupported_media_type", "Send the body without Content-Encoding.", { cause: error });
    if (type === "request.aborted" || type === "request.size.invalid")
      return new ProblemError("malformed_json", "Send as many bytes as Content-Length says.", { cause: error });
    return error;
  }
}

function checkMediaType(request: Request): void {
  const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
  if (!hasBody) throw missingBody();
  const charset = /;\s*charset="?([\w-]+)/i.exec(request.headers["content-type"] ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  if (request.is(["json", "+json"]) && charset === "utf-8") return;
  throw new ProblemError("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
}

function parse(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw missingBody();
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new ProblemError("malformed_json", "Send one JSON value in UTF-8; a validator shows where it breaks.", {
      cause,
    });
  }
}

const missingBody = (): ProblemError => new ProblemError("missing_body", "Send the documented JSON body.");
