/** The settings of a receiver in a separate process. */
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

/** The parent sends this message to let the current and later handler runs finish. */
export type ToProcess = "finish";
