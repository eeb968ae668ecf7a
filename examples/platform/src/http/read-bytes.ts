import { type Request, type Response, raw } from "express";
import { ProblemError } from "../problem/problem-error.ts";

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
        error === undefined ? resolve() : reject(toProblemError(error)),
      );
    });
    await read.finally(() => clearTimeout(overdue));
  };

  function toProblemError(error: unknown): unknown {
    const { type, status } = Object(error) as { type?: string; status?: number };
    if (type === "entity.too.large")
      return new ProblemError("body_too_large", `Send at most ${limitBytes} bytes.`, { cause: error });
    if (type === "encoding.unsupported")
      return new ProblemError("unsupported_media_type", "Send the body without Content-Encoding.", { cause: error });
    if (type === "request.aborted" || type === "request.size.invalid")
      return new ProblemError("malformed_json", "Send as many bytes as Content-Length says.", { cause: error });
    // Errors of zlib have no `type`.
    if (status === 400)
      return new ProblemError(
        "malformed_json",
        "Send a body in the encoding that Content-Encoding names, or omit the header.",
        {
          cause: error,
        },
      );
    return error;
  }
}

const bodyTimeout = (): ProblemError =>
  // The rest of the body would be parsed as the next request.
  new ProblemError("body_timeout", "Send the whole body at once.", { headers: { Connection: "close" } });
