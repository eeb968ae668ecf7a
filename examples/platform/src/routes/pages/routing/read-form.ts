import type { Request, Response } from "express";
import { ProblemError } from "../../../http/problem.ts";
import { createBytesReader, maxCredentialsBytes } from "../../../http/read-body.ts";

/** Which limits apply: those of a name and a password, or those of any other input from a stranger or from someone with an account. */
type FormSize = "credentials" | "fromStranger" | "fromUser";

/** Reads a URL-encoded form, and converts line breaks to `\n`. */
export type ReadForm = (request: Request, response: Response, size: FormSize) => Promise<URLSearchParams>;

/**
 * Creates a function that reads forms within the limits of D-154. Browsers do not compress forms.
 *
 * @param limitBytes the limit for someone with an account. Their largest form is an offer to 10,000 workers in 366 time slots.
 */
export function createFormReader(limitBytes: number): ReadForm {
  const createReader = (maxBytes: number, maxFields: number) => {
    const readBytes = createBytesReader({ limitBytes: Math.min(maxBytes, limitBytes), inflate: false });
    return async (request: Request, response: Response): Promise<URLSearchParams> => {
      await readBytes(request, response);
      return parseForm(request.body, maxFields);
    };
  };
  const readers = {
    credentials: createReader(maxCredentialsBytes, 20),
    fromStranger: createReader(64 * 1024, 2_000),
    fromUser: createReader(limitBytes, 11_000),
  };
  return async (request, response, size) => {
    if (!request.is("application/x-www-form-urlencoded"))
      throw new ProblemError("unsupported_media_type", "Send the form as application/x-www-form-urlencoded.");
    return readers[size](request, response);
  };
}

const ampersand = "&".charCodeAt(0);

function parseForm(body: unknown, maxFields: number): URLSearchParams {
  const bytes = body instanceof Uint8Array ? body : new Uint8Array();
  // Count the fields before parsing them.
  let count = 1;
  for (const byte of bytes) if (byte === ampersand) count += 1;
  if (count > maxFields) throw new ProblemError("body_too_large", `Send at most ${maxFields} form fields.`);
  const form = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(Buffer.from(bytes).toString("utf8")))
    form.append(name, value.replaceAll("\r\n", "\n"));
  return form;
}
