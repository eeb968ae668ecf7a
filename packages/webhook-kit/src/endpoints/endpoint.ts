import type * as z from "zod";
import type { webhooks } from "../generated/openapi.ts";
import type { HandlerContext, Handlers } from "../handlers.ts";
import type { Answer } from "../http/response.ts";
import type { Awaitable } from "../receive/after.ts";

type Path = keyof webhooks;

type MethodOf<P extends Path> = {
  [Method in keyof webhooks[P]]: Method extends "parameters"
    ? never
    : webhooks[P][Method] extends undefined
      ? never
      : Method;
}[keyof webhooks[P]];

interface Common<P extends Path> {
  /** The operation's name in the contract. */
  readonly name: string;
  /** In capitals; both are checked against the contract's webhooks. */
  readonly method: Uppercase<MethodOf<P> & string>;
  readonly path: P;
}

/** An endpoint that is always there and runs nothing of the user's. */
export interface CheckEndpoint<P extends Path = Path> extends Common<P> {
  readonly kind: "test" | "testAuth";
}

/** zod writes an optional field as one that may be undefined; JSON has no undefined, so our own types do not. */
type AsZodInfers<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] };

/** An endpoint that is mounted when its handler is given. */
export interface HandledEndpoint<P extends Path = Path, Input = unknown> extends Common<P> {
  /** An event leaves a receipt; a request is answered anew each time. */
  readonly kind: "event" | "request";
  /** Of the body, or of the path's parameters for a GET. */
  readonly schema: z.ZodType<AsZodInfers<Input>>;
  /**
   * What two different events may be about, so that the later one makes an identical repeat of the earlier one news again
   * (D-57); left out where a repeat says nothing new.
   */
  subjectOf?(input: Input): readonly string[];
  /** The option that mounts it. */
  readonly handlerName: keyof Handlers;
  handle<Incoming>(handlers: Handlers<Incoming>, input: Input, context: HandlerContext<Incoming>): Awaitable<Answer>;
}

export type Endpoint = CheckEndpoint | HandledEndpoint;
