/** A response as received over the wire. */
export interface WireResponse {
  status: number;
  /** The headers, by lower-case name. */
  headers: Map<string, string>;
  /** The body, decoded as ISO 8859-1. */
  body: string;
}

/**
 * Parses the responses that a connection has received so far. Skips interim responses (1xx).
 *
 * @param methods the request methods, in order, because a response to HEAD never has a body
 * @param isClosed whether the connection is closed, which completes a body without a length
 */
export function readResponses(text: string, methods: readonly string[], isClosed: boolean): WireResponse[] {
  const responses: WireResponse[] = [];
  let remaining = text;
  while (remaining !== "") {
    const headEnd = remaining.indexOf("\r\n\r\n");
    if (headEnd < 0) break;
    const [statusLine = "", ...lines] = remaining.slice(0, headEnd).split("\r\n");
    remaining = remaining.slice(headEnd + 4);
    // Anything that is not a response becomes status 0, which no case expects.
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(statusLine)?.[1] ?? 0);
    if (status >= 100 && status < 200) continue;
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const hasBody = methods[responses.length] !== "HEAD" && status !== 204 && status !== 304;
    const body = hasBody ? readBody(remaining, headers, isClosed) : { text: "", length: 0 };
    if (!body) break;
    responses.push({ status, headers, body: body.text });
    remaining = remaining.slice(body.length);
  }
  return responses;
}

/** Reads the body at the start of a string. @returns undefined if more of the body must arrive first */
function readBody(
  remaining: string,
  headers: Map<string, string>,
  isClosed: boolean,
): { text: string; length: number } | undefined {
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return readChunks(remaining);
  const contentLength = headers.get("content-length");
  if (contentLength === undefined || !/^\d+$/.test(contentLength))
    return isClosed ? { text: remaining, length: remaining.length } : undefined;
  const length = Number(contentLength);
  return remaining.length < length ? undefined : { text: remaining.slice(0, length), length };
}

/** Decodes the chunked body at the start of a string. @returns undefined if more of the body must arrive first */
function readChunks(remaining: string): { text: string; length: number } | undefined {
  let text = "";
  let offset = 0;
  for (;;) {
    const sizeEnd = remaining.indexOf("\r\n", offset);
    if (sizeEnd < 0) return undefined;
    const digits = /^[\da-f]{1,8}(?=$|[;\s])/i.exec(remaining.slice(offset, sizeEnd))?.[0];
    // This is not a chunk, so the end of the body is unknown.
    if (digits === undefined) return { text, length: remaining.length };
    const size = Number.parseInt(digits, 16);
    // A CRLF follows the size, and another follows the data.
    const chunkEnd = sizeEnd + 2 + size + 2;
    if (remaining.length < chunkEnd) return undefined;
    text += remaining.slice(sizeEnd + 2, sizeEnd + 2 + size);
    offset = chunkEnd;
    if (size === 0) return { text, length: offset };
  }
}
