/** The settings of a receiver in its own process. */
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

/** With this message, the parent lets the handler's current and later runs finish. */
export type ToProcess = "finish";
