import type { Response } from "express";

/** What a route answers, as plain data: it can be kept and given again. */
export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export const jsonAnswer = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

export function sendAnswer(response: Response, { status, headers = {}, body }: Answer): void {
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else response.send(body);
}
