export interface ToldChange {
  lastEventId: string;
  type: string;
  /** Of what changed. */
  id: string | undefined;
}

export interface ChangeReader {
  events: ToldChange[];
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
  disconnect(): void;
}

/** A browser's connection to the stream of what changes. */
export async function readChanges(address: string, cookie: string, lastEventId?: string): Promise<ChangeReader> {
  const connection = new AbortController();
  const headers = {
    Accept: "text/event-stream",
    Cookie: cookie,
    ...(lastEventId !== undefined && { "Last-Event-ID": lastEventId }),
  };
  const { body, status } = await fetch(address, { headers, signal: connection.signal });
  if (body === null || status !== 200) throw new Error(`the stream was answered ${status}`);
  const events: ToldChange[] = [];
  const read = async (): Promise<void> => {
    let text = "";
    for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
      const blocks = (text + chunk).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, id, type, data] = /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (id === undefined || type === undefined || data === undefined) continue;
        const { changes = [{ type, id: undefined }] } = JSON.parse(data);
        for (const change of changes) events.push({ ...change, lastEventId: id });
      }
    }
  };
  const ended = read().catch((error: unknown) => {
    if (!connection.signal.aborted) throw error;
  });
  return { events, ended, disconnect: () => connection.abort() };
}
