import type { Response } from "express";

const heartbeatMs = 15_000;
/** A reader that falls this far behind is cut off; it resumes where it was. */
const maxBufferedBytes = 1024 * 1024;

export interface StreamEvent {
  id: number;
  type: string;
  data: unknown;
}

/** The server-sent event streams of this process; they would never end by themselves. */
export class EventStreams {
  readonly #open = new Set<Response>();

  /** Begins a stream. @returns writes an event */
  begin(response: Response): (event: StreamEvent) => void {
    // A proxy that buffers would hold the events back.
    response.status(200).set({ "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    response.write("retry: 1000\n\n");
    const heartbeat = setInterval(() => response.write(":\n\n"), heartbeatMs);
    this.#open.add(response);
    response.once("close", () => {
      clearInterval(heartbeat);
      this.#open.delete(response);
    });
    return ({ id, type, data }) => {
      if (response.writableEnded) return;
      // JSON has no line breaks of its own, so it is one data line.
      response.write(`id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`);
      if (response.writableLength > maxBufferedBytes) response.destroy();
    };
  }

  /** Ends them all; their readers come back with Last-Event-ID. */
  end(): void {
    for (const response of this.#open) response.end();
  }
}
