import type { Response } from "express";

const heartbeatMs = 15_000;
/** Node's longest timer delay, 24.8 days. A timer with a longer delay fires after 1 ms. */
const maxTimerDelayMs = 2 ** 31 - 1;
/** The backpressure limit. A reader that falls this far behind is disconnected, and resumes with Last-Event-ID. */
const maxBufferedBytes = 1024 * 1024;
/** The maximum number of streams per user in this process (D-163). All open pages in a browser share one stream. */
const maxStreamsPerOwner = 20;

export interface StreamEvent {
  /** Readers send it back as Last-Event-ID when they reconnect. */
  id: number | string;
  type: string;
  data: unknown;
}

/** The session that a stream belongs to. The stream ends when the session does. */
export interface StreamSession {
  id: string;
  /** The user or worker that the limit applies to. */
  ownerId: string;
  expiresInMs: number;
  /** Throws once the session has ended. Called at every heartbeat, because another process may have ended it. */
  check: () => Promise<unknown>;
}

/** Tracks the open server-sent event streams in this process. */
export class EventStreams {
  /** The open streams, the oldest first. */
  readonly #streams = new Map<Response, Pick<StreamSession, "id" | "ownerId">>();

  get count(): number {
    return this.#streams.size;
  }

  /**
   * Starts a stream of server-sent events. If its owner has too many, ends the oldest, which may belong to a connection that was lost
   * without being closed.
   *
   * @returns a function that sends an event
   */
  start(
    response: Response,
    { id: sessionId, ownerId, expiresInMs, check }: StreamSession,
  ): (event: StreamEvent) => void {
    // Turn off buffering in proxies such as nginx, because it would delay events.
    response.status(200).set({ "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    response.write("retry: 1000\n\n");
    const end = (): void => {
      response.end();
    };
    // Readers ignore a line that starts with a colon.
    const sendHeartbeat = (): void => {
      if (!response.writableEnded) response.write(":\n\n");
    };
    const heartbeat = setInterval(() => void check().then(sendHeartbeat, end), heartbeatMs);
    const expiry = setTimeout(end, Math.min(expiresInMs, maxTimerDelayMs));
    const ownStreams = [...this.#streams].filter(([, stream]) => stream.ownerId === ownerId);
    if (ownStreams.length >= maxStreamsPerOwner) ownStreams[0]?.[0].end();
    this.#streams.set(response, { id: sessionId, ownerId });
    response.once("close", () => {
      clearInterval(heartbeat);
      clearTimeout(expiry);
      this.#streams.delete(response);
    });
    return ({ id, type, data }) => {
      if (response.writableEnded) return;
      // JSON contains no line breaks, so it is one data line.
      response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > maxBufferedBytes) response.destroy();
    };
  }

  /** Ends the streams of one session, or all streams if `sessionId` is omitted. Readers reconnect with Last-Event-ID. */
  end(sessionId?: string): void {
    for (const [response, { id }] of this.#streams) if (sessionId === undefined || sessionId === id) response.end();
  }
}
