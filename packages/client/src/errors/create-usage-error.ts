import { unannotated } from "./unannotated.ts";
import { UsageError } from "./usage-error.ts";

/** A `UsageError` without the details of a call. */
export const createUsageError = (code: UsageError["code"], message: string): UsageError =>
  new UsageError(message, { code, [unannotated]: true });
