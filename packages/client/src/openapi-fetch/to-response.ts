import type { WithResponse } from "../call/with-response.ts";

/** What told of the body as it came; this one is written anew. */
const ofTheBody = ["content-encoding", "content-length", "content-type", "transfer-encoding"];

/** An answer for openapi-fetch to read: the client's data as JSON, under the status and the headers that came. */
export function toResponse({ data, response }: WithResponse<unknown>): Response {
  const { status, headers: received } = response;
  const headers = new Headers(Symbol.iterator in received ? (received as Headers) : undefined);
  for (const name of ofTheBody) headers.delete(name);
  if (data === undefined) return new Response(null, { status, headers });
  return Response.json(data, { status, headers });
}
