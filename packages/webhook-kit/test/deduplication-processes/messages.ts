/** What a receiver in a process of its own needs to know. */
export interface ProcessSetup {
  readonly client: "redis" | "ioredis";
  readonly redisUrl: string;
  readonly prefix: string;
  readonly secret: string;
  readonly handlerTimeoutMs: number;
}

export type FromProcess =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "handling"; readonly workerId: string };

/** The parent ends the runs of a handler that are at work, and all that are still to come. */
export type ToProcess = "finish";
