export interface ServerEvent {
  id: string;
  data: { id: number; offerId: string; reason: string; successful: boolean | null };
}

/** A client of an event stream that collects the stream's events. */
export interface EventReader {
  events: ServerEvent[];
  headers: Headers;
  /** Resolves when the server or `disconnect()` ends the stream. */
  ended: Promise<void>;
  disconnect(): void;
}

/** Opens the stream at `url`. @param lastEventId the id of the last event that the client has received */
export async function readEvents(
  url: string,
  token: string,
  lastEventId?: string,
  extraHeaders: Record<string, string> = {},
): Promise<EventReader> {
  const controller = new AbortController();
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
    ...extraHeaders,
  };
  const { body, headers: responseHeaders } = await fetch(url, { headers, signal: controller.signal });
  if (body === null) throw new Error("the stream has no body");
  const events: ServerEvent[] = [];
  const ended = collectEvents(body, events).catch((error: unknown) => {
    if (!controller.signal.aborted) throw error;
  });
  return { events, headers: responseHeaders, ended, disconnect: () => controller.abort() };
}

/** Adds each event to `events` until the stream ends. Skips blocks without an id or data, such as comments. */
async function collectEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>, events: ServerEvent[]): Promise<void> {
  let buffered = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    const blocks = buffered.split("\n\n");
    // The last block may be incomplete.
    buffered = blocks.pop() ?? "";
    for (const block of blocks) {
      const id = /^id: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (id !== undefined && data !== undefined) events.push({ id, data: JSON.parse(data) });
    }
  }
}
