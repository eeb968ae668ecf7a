import { InvalidBodyError } from "./invalid-body-error.ts";

/** Any body acknowledges (D-03, D-10), but for markup: a proxy's sign-in page must not pass for a completed offer. */
export function acknowledge(text: string): void {
  if (/^\s*</.test(text)) throw new InvalidBodyError();
}
