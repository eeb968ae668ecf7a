import type { FetchResponse } from "../http/fetch-response.ts";

/** A response and its body. */
export interface ReceivedResponse {
  readonly response: FetchResponse;
  /** Undefined when the body exceeds `maxResponseBytes`. */
  readonly text: string | undefined;
}
