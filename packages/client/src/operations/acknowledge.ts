import { InvalidBodyError } from "./invalid-body-error.ts";

/** Accepts any body (D-03, D-10) except markup: a proxy's sign-in page must not count as a completed offer. */
export function acknowledge(text: string): void {
  if (/^\s*</.test(text)) throw new InvalidBodyError();
}
