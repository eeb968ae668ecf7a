import type { Request, Response } from "express";
import { bodyTimeoutMs } from "../generated/decisions.ts";
import { ProblemError } from "./problem-error.ts";
import { bytesReader } from "./read-bytes.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads the JSON body of a request; the bytes stay in `request.body`. Call it after authentication. */
export type ReadJson = (request: Request, response: Response) => Promise<unknown>;

/**
 * Creates a function that reads JSON bodies of at most `limitBytes` within `timeoutMs`, counted from its call (D-25).
 *
 * @throws {ProblemError} `missing_body`, `unsupported_media_type`, `body_timeout`, `body_too_large` or `malformed_json`
 */
export function jsonReader(limitBytes: number, timeoutMs = bodyTimeoutMs): ReadJson {
  const readBytes = bytesReader(limitBytes, timeoutMs);
  return async (request, response) => {
    checkMediaType(request);
    await readBytes(request, response);
    return parse(request.body);
  };
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
