/** What the service has seen. */
export interface Counts {
  requests: number;
  /** Creations and completions that arrived again: each may have had a second effect. */
  repeated: number;
  /** Requests that followed a redirect to another origin. */
  redirectTarget: number;
  /** Connections that are open now. */
  connections: number;
}
