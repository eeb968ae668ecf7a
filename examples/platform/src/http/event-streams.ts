import type { Response } from "express";

const heartbeatMs = 15_000;
/** A reader that falls this far behind is cut off; it resumes where it was. */
const maxBufferedBytes = 1024 * 1024;

export interface StreamEvent {
  /** What a reader that comes back names as the last it heard. */
  id: number | string;
  type: string;
  data: unknown;
}

/** What a stream lasts no longer than. */
export interface StreamSession {
  id: string;
  expiresInMs: number;
  /** Throws once it is over. Asked at every heartbeat: another process may have ended it. */
  check: () => Promise<unknown>;
}

/** The server-sent event streams of this process; they would never end by themselves. */
export class EventStreams {
  readonly #open = new Map<Response, string>();

  /** Begins a stream. @returns writes an event */
  begin(response: Response, { id: sessionId, expiresInMs, check }: StreamSession): (event: StreamEvent) => void {
    // A proxy that buffers would hold the events back.
    response.status(200).set({ "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    response.write("retry: 1000\n\n");
    const end = (): void => void response.end();
    const beat = (): void => void (response.writableEnded || response.write(":\n\n"));
    const heartbeat = setInterval(() => void check().then(beat, end), heartbeatMs);
    const expiry = setTimeout(end, expiresInMs);
    this.#open.set(response, sessionId);
    response.once("close", () => {
      clearInterval(heartbeat);
      clearTimeout(expiry);
      this.#open.delete(response);
    });
    return ({ id, type, data }) => {
      if (response.writableEnded) return;
      // JSON has no line breaks of its own, so it is one data line.
      response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > maxBufferedBytes) response.destroy();
    };
  }

  /** Ends those of a session, or all: their readers come back with Last-Event-ID. */
  end(ofSession?: string): void {
    for (const [response, sessionId] of this.#open)
      if (ofSession === undefined || ofSession === sessionId) response.end();
  }
}
