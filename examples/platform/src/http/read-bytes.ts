import { type Request, type Response, raw } from "express";
import { ProblemError } from "./problem-error.ts";

/**
 * Creates a function that reads a body of at most `limitBytes` into `request.body`, within `timeoutMs` even from a client that
 * sends slowly on purpose (slowloris).
 *
 * @throws {ProblemError} `body_timeout`, `body_too_large`, `unsupported_media_type` or `malformed_json`
 */
export function bytesReader(
  limitBytes: number,
  timeoutMs: number,
): (request: Request, response: Response) => Promise<void> {
  const readBytes = raw({ type: () => true, limit: limitBytes });
  return async (request, response) => {
    let overdue: NodeJS.Timeout | undefined;
    const read = new Promise<void>((resolve, reject) => {
      overdue = setTimeout(() => reject(bodyTimeout()), timeoutMs);
      readBytes(request, response, (error?: unknown) =>
        error === undefined ? resolve() : reject(toProblemError(error, limitBytes)),
      );
    });
    await read.finally(() => clearTimeout(overdue));
  };
}

function toProblemError(cause: unknown, limitBytes: number): unknown {
  const { type, status } = Object(cause) as { type?: string; status?: number };
  if (type === "entity.too.large")
    return new ProblemError("body_too_large", `Send at most ${limitBytes} bytes.`, { cause });
  if (type === "encoding.unsupported")
    return new ProblemError("unsupported_media_type", "Send the body without Content-Encoding.", { cause });
  const isCut = type === "request.aborted" || type === "request.size.invalid";
  const remedy = isCut
    ? "Send as many bytes as Content-Length says."
    : "Send a body in the encoding that Content-Encoding names, or omit the header.";
  // Errors of zlib have this status and no `type`.
  return status === 400 ? new ProblemError("malformed_json", remedy, { cause }) : cause;
}

const bodyTimeout = (): ProblemError =>
  // The rest of the body would be parsed as the next request.
  new ProblemError("body_timeout", "Send the whole body at once.", { headers: { Connection: "close" } });
