import type { Response } from "express";

/** A response as plain data, so that it can be stored and replayed. */
export interface RouteResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

export const jsonResponse = (status: number, value: unknown, headers: Record<string, string> = {}): RouteResponse => ({
  status,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(value),
});

export function sendResponse(response: Response, { status, headers = {}, body }: RouteResponse): void {
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else response.send(body);
}
