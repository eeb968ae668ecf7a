import type { Request, Response } from "express";
import { bodyTimeoutMs } from "../../../generated/decisions.ts";
import { ProblemError } from "../../../http/problem.ts";
import { createBytesReader } from "../../../http/read-body.ts";

export type ReadForm = (request: Request, response: Response) => Promise<URLSearchParams>;

/** Creates a function that reads a URL-encoded form, and converts line breaks to `\n`. */
export function createFormReader(limitBytes: number): ReadForm {
  const readBytes = createBytesReader(limitBytes, bodyTimeoutMs);
  return async (request, response) => {
    if (!request.is("application/x-www-form-urlencoded"))
      throw new ProblemError("unsupported_media_type", "Send the form as application/x-www-form-urlencoded.");
    await readBytes(request, response);
    const received = new URLSearchParams(Buffer.from(request.body).toString("utf8"));
    const form = new URLSearchParams();
    for (const [name, value] of received) form.append(name, value.replaceAll("\r\n", "\n"));
    return form;
  };
}
