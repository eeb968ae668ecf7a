import { type Request, type Response, raw } from "express";
import { bodyTimeoutMs } from "../generated/decisions.ts";
import { ProblemError } from "./problem.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the JSON body of a request. The bytes stay in `request.body`. Call it after authentication. */
export type ReadJson = (request: Request, response: Response) => Promise<unknown>;

/** The maximum size of a body with a name and a password, which anyone may send (D-154). */
export const maxCredentialsBytes = 16 * 1024;

export interface BodyLimits {
  limitBytes: number;
  /** Whether to accept a compressed body. A small request can inflate to `limitBytes`, so anonymous requests may not. */
  inflate: boolean;
  /** @default 10 s */
  timeoutMs?: number;
}

/**
 * Creates a function that reads a JSON body within its limits (D-25).
 *
 * @returns a function that rejects with the `ProblemError` `missing_body`, `unsupported_media_type`, `body_timeout`, `body_too_large`
 *   or `malformed_json`
 */
export function createJsonReader(limits: BodyLimits): ReadJson {
  const readBytes = createBytesReader(limits);
  return async (request, response) => {
    checkBodyHeaders(request);
    await readBytes(request, response);
    return parseJson(request.body);
  };
}

function checkBodyHeaders(request: Request): void {
  const hasBody = request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"]) > 0;
  if (!hasBody) throw missingBody();
  const charset = /;\s*charset="?([\w-]+)/i.exec(request.headers["content-type"] ?? "")?.[1]?.toLowerCase() ?? "utf-8";
  if (request.is(["json", "+json"]) && charset === "utf-8") return;
  throw new ProblemError("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
}

function parseJson(bytes: unknown): unknown {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw missingBody();
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new ProblemError(
      "malformed_json",
      "Send one JSON value in UTF-8; a JSON validator shows where it is invalid.",
      {
        cause,
      },
    );
  }
}

const missingBody = (): ProblemError => new ProblemError("missing_body", "Send the documented JSON body.");

/**
 * Creates a function that reads a body within its limits into `request.body`. The timeout also stops clients that deliberately send
 * slowly (slowloris).
 *
 * @returns a function that rejects with the `ProblemError` `body_timeout`, `body_too_large`, `unsupported_media_type` or
 *   `malformed_json`
 */
export function createBytesReader({
  limitBytes,
  inflate,
  timeoutMs = bodyTimeoutMs,
}: BodyLimits): (request: Request, response: Response) => Promise<void> {
  const readBytes = raw({ type: () => true, limit: limitBytes, inflate });
  return async (request, response) => {
    let timer: NodeJS.Timeout | undefined;
    const read = new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(bodyTimeout()), timeoutMs);
      readBytes(request, response, (error?: unknown) => {
        if (error === undefined) resolve();
        else reject(toProblemError(error, limitBytes));
      });
    });
    await read.finally(() => clearTimeout(timer));
  };
}

/** Converts an error of the body parser to a `ProblemError`. Returns an error that the caller did not cause unchanged. */
function toProblemError(cause: unknown, limitBytes: number): unknown {
  const { type, status } = cause as { type?: string; status?: number };
  if (type === "entity.too.large")
    return new ProblemError("body_too_large", `Send at most ${limitBytes} bytes.`, { cause });
  if (type === "encoding.unsupported")
    return new ProblemError("unsupported_media_type", "Send the body without Content-Encoding.", { cause });
  // Errors from zlib have status 400 and no `type`.
  if (status !== 400) return cause;
  const isIncomplete = type === "request.aborted" || type === "request.size.invalid";
  const remedy = isIncomplete
    ? "Send exactly as many bytes as Content-Length specifies."
    : "Send a body in the encoding that Content-Encoding specifies, or omit the header.";
  return new ProblemError("malformed_json", remedy, { cause });
}

const bodyTimeout = (): ProblemError =>
  // Close the connection. Otherwise, the rest of the body would be parsed as the next request.
  new ProblemError("body_timeout", "Send the whole body without pausing.", { headers: { Connection: "close" } });
