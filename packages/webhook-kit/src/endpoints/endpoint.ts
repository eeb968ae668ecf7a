import type { webhooks } from "@offers/contract/openapi";
import { inputSchemas } from "../generated/payload-schemas.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import type { Handlers } from "./handlers.ts";
import type { Schema } from "./json-schema.ts";

export type Path = keyof webhooks;

type Operation<P extends Path> = Exclude<keyof webhooks[P], "parameters"> & string;

/** The method of a webhook in the contract, in capitals. */
export type MethodOf<P extends Path> = Uppercase<
  { [O in Operation<P>]: webhooks[P][O] extends undefined ? never : O }[Operation<P>]
>;

interface Common<P extends Path> {
  /** The operation's name in the contract. */
  readonly name: string;
  readonly method: MethodOf<P>;
  readonly path: P;
}

/** An endpoint without a handler, always mounted. */
export interface CheckEndpoint<P extends Path = Path> extends Common<P> {
  /** `test` responds 200 whatever the headers, as the service expects; `testAuth` only to a verified request. */
  readonly kind: "test" | "testAuth";
  readonly handler?: undefined;
}

/** An endpoint that is mounted when its handler is given. */
export interface HandledEndpoint<P extends Path = Path, Input = unknown> extends Common<P> {
  /** An event is deduplicated; a request is handled each time it comes. */
  readonly kind: "event" | "request";
  /** Of the body, or of the path's parameters for a GET. */
  readonly schema: Schema;
  /** The option that mounts it. */
  readonly handler: keyof Handlers;
  /**
   * What two different events may be about: after the later one, a copy of the earlier one is a new event (D-57). Left out where
   * order does not matter.
   */
  entityKey?(input: Input): readonly string[];
  /** The response for what the handler returned. */
  respond(result: unknown): WebhookResponse;
}

export type Endpoint = CheckEndpoint | HandledEndpoint;

type EventOf<H extends keyof Handlers> = Parameters<NonNullable<Handlers[H]>>[0];

/** An event of the contract, acknowledged with 200 once its handler returns (D-12, D-13). POST where `method` is left out. */
export const eventEndpoint = <P extends keyof typeof inputSchemas, H extends keyof Handlers>(
  definition: {
    readonly name: string;
    readonly path: P;
    readonly handler: H;
    readonly entityKey?: (event: EventOf<H>) => readonly string[];
  } & ("POST" extends MethodOf<P> ? unknown : { readonly method: MethodOf<P> }),
): HandledEndpoint<P, EventOf<H>> => ({
  kind: "event",
  method: "POST" as MethodOf<P>,
  schema: inputSchemas[definition.path],
  respond: () => acknowledged,
  ...definition,
});
