import { errorDocsUrl } from "@offers/contract/decisions";

/**
 * A complete HTTP response, ready to be sent.
 *
 * @example
 * ```ts
 * import type { WebhookResponse } from "@offers/webhook-kit";
 *
 * export const toResponse = ({ status, headers, body }: WebhookResponse): Response => new Response(body, { status, headers });
 * ```
 */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body; empty for a response without content. */
  readonly body: string;
}

/** The response that acknowledges an event: 200 without a body. */
export const acknowledged: WebhookResponse = {
  status: 200,
  headers: { "cache-control": "no-store", "content-length": "0" },
  body: "",
};

export function jsonResponse(body: string): WebhookResponse {
  return { status: 200, headers: headersFor("application/json; charset=utf-8", body), body };
}

/** The problem in the response when a request is rejected or fails. `code` is stable, and never reveals why verification failed. */
export interface ProblemSummary {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The problem if the receiver failed. */
export const internalError: ProblemSummary = {
  status: 500,
  code: "internal_error",
  title: "The receiver failed",
};

/** The problem if the receiver failed but a retry may succeed. */
export const unavailable: ProblemSummary = { status: 503, code: "temporarily_unavailable", title: "Try again later" };

/** Creates a problem details response (RFC 9457) with the same members as the service's responses. `type` is the page about the code. */
export function problemResponse(problem: ProblemSummary, headers?: Readonly<Record<string, string>>): WebhookResponse {
  const { status, code, title, ...rest } = problem;
  const body = JSON.stringify({ type: `${errorDocsUrl}${code}`, title, status, ...rest, code });
  return { status, headers: { ...headersFor("application/problem+json", body), ...headers }, body };
}

const headersFor = (contentType: string, body: string) => ({
  "cache-control": "no-store",
  "content-type": contentType,
  "content-length": String(Buffer.byteLength(body)),
  "x-content-type-options": "nosniff",
});
