export interface LiveEvent {
  id: string;
  type: string;
  topics: readonly string[];
}

export interface LiveReader {
  events: LiveEvent[];
  /** Returns the number of received events that include the topic. */
  countOf(topic: string): number;
  /** Resolves when the stream has ended. Rejects if the connection fails. */
  ended: Promise<void>;
  disconnect(): void;
}

/** Connects to a page's live stream as a browser would, and records its events. */
export async function openLiveReader(url: string, cookie: string, lastEventId?: string): Promise<LiveReader> {
  const connection = new AbortController();
  const headers = {
    Accept: "text/event-stream",
    Cookie: cookie,
    ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
  };
  const { body, status } = await fetch(url, { headers, signal: connection.signal });
  if (body === null || status !== 200) throw new Error(`The live stream responded with ${status}.`);
  const events: LiveEvent[] = [];
  const readEvents = async (): Promise<void> => {
    let buffered = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (buffered + chunk).split("\n\n");
      buffered = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined || type === undefined || data === undefined) continue;
        events.push({ id, type, topics: JSON.parse(data).topics ?? [] });
      }
    }
  };
  const ended = readEvents().catch((error: unknown) => {
    if (!connection.signal.aborted) throw error;
  });
  const countOf = (topic: string): number => events.filter(({ topics }) => topics.includes(topic)).length;
  return { events, countOf, ended, disconnect: () => connection.abort() };
}
