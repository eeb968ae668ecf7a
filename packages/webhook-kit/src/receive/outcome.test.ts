import { expect, test } from "vitest";
import * as errors from "../errors/errors.ts";
import { failureResponse } from "./outcome.ts";

test("a temporary failure results in 503 and any other failure in 500, even from another copy of the kit", async () => {
  const copy: typeof errors = await import(`../errors/errors.ts?${"copy"}`);
  expect(copy.HandlerError).not.toBe(errors.HandlerError);
  for (const { HandlerError, UnavailableError, ConfigurationError, InternalError } of [errors, copy]) {
    expect(failureResponse(new UnavailableError("deduplication_full", "…")).status).toBe(503);
    expect(failureResponse(new UnavailableError("secret_lookup_failed", "…")).status).toBe(503);
    expect(failureResponse(new HandlerError("handler_timed_out", "…")).status).toBe(503);
    expect(failureResponse(new HandlerError("handler_failed", "…")).status).toBe(500);
    expect(failureResponse(new HandlerError("invalid_handler_result", "…")).status).toBe(500);
    expect(failureResponse(new ConfigurationError("body_already_consumed", "…")).status).toBe(500);
    expect(failureResponse(new InternalError("internal_error", "…")).status).toBe(500);
  }
});
