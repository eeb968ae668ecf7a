import { UsageError } from "./usage-error.ts";

/** What the caller is told of a mistake of theirs. */
export const refusal = (code: UsageError["code"], message: string): UsageError => new UsageError(message, { code });
