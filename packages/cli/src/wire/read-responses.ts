/** A response as received over the wire. */
export interface WireResponse {
  status: number;
  /** The headers, by lower-case name. */
  headers: Map<string, string>;
  body: string;
}

/**
 * Reads the responses that a connection has received so far, without interim ones (1xx).
 *
 * @param methods the requests' methods, in order: a response to HEAD has no body, whatever its headers say
 * @param isClosed whether the connection is closed, so that a body without a length is complete
 */
export function readResponses(text: string, methods: readonly string[], isClosed: boolean): WireResponse[] {
  const responses: WireResponse[] = [];
  let rest = text;
  while (rest !== "") {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) break;
    const [start = "", ...lines] = rest.slice(0, headEnd).split("\r\n");
    rest = rest.slice(headEnd + 4);
    // Anything that is not a response becomes status 0, which no case expects.
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(start)?.[1] ?? 0);
    if (status >= 100 && status < 200) continue;
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const hasBody = methods[responses.length] !== "HEAD" && status !== 204 && status !== 304;
    const body = hasBody ? readBody(rest, headers, isClosed) : { text: "", length: 0 };
    if (!body) break;
    responses.push({ status, headers, body: body.text });
    rest = rest.slice(body.length);
  }
  return responses;
}

function readBody(
  rest: string,
  headers: Map<string, string>,
  isClosed: boolean,
): { text: string; length: number } | undefined {
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return readChunks(rest);
  const declared = headers.get("content-length");
  if (declared === undefined || !/^\d+$/.test(declared))
    return isClosed ? { text: rest, length: rest.length } : undefined;
  const length = Number(declared);
  return rest.length < length ? undefined : { text: rest.slice(0, length), length };
}

function readChunks(rest: string): { text: string; length: number } | undefined {
  let text = "";
  let offset = 0;
  for (;;) {
    const sizeEnd = rest.indexOf("\r\n", offset);
    if (sizeEnd < 0) return undefined;
    const digits = /^[\da-f]{1,8}(?=$|[;\s])/i.exec(rest.slice(offset, sizeEnd))?.[0];
    // What follows is not a chunk, so the end of the body is unknown.
    if (digits === undefined) return { text, length: rest.length };
    const size = Number.parseInt(digits, 16);
    const next = sizeEnd + 2 + size + 2;
    if (rest.length < next) return undefined;
    text += rest.slice(sizeEnd + 2, sizeEnd + 2 + size);
    offset = next;
    if (size === 0) return { text, length: offset };
  }
}
