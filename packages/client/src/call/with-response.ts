import type { FetchResponse } from "../http/fetch-response.ts";

/** The data of a response, and the response itself. Its body has been read. */
export interface WithResponse<Data> {
  data: Data;
  response: FetchResponse;
  /** How many requests were sent. */
  attempts: number;
}
