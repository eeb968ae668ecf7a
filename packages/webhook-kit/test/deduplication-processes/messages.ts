/** What a receiver needs to know in its own process. */
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

/** The parent lets the handler's current and later runs finish. */
export type ToProcess = "finish";
