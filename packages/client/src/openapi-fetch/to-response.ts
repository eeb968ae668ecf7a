import type { WithResponse } from "../call/with-response.ts";

/** Headers that describe the received body; this body is new. */
const ofTheBody = ["content-encoding", "content-length", "content-type", "transfer-encoding"];

/** A response for openapi-fetch to read: the client's data as JSON, with the received status and headers. */
export function toResponse({ data, response }: WithResponse<unknown>): Response {
  const { status, headers: received } = response;
  const headers = new Headers(Symbol.iterator in received ? (received as Headers) : undefined);
  for (const name of ofTheBody) headers.delete(name);
  if (data === undefined) return new Response(null, { status, headers });
  return Response.json(data, { status, headers });
}
