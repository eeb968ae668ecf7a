import type { webhooks } from "@offers/contract/openapi";
import { inputSchemas } from "../generated/payload-schemas.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import type { Handlers } from "./handlers.ts";
import type { Schema } from "./json-schema.ts";

export type Path = keyof webhooks;

type Operation<P extends Path> = Exclude<keyof webhooks[P], "parameters"> & string;

/** The webhook's HTTP method in the contract, in upper case. */
export type MethodOf<P extends Path> = Uppercase<
  { [O in Operation<P>]: webhooks[P][O] extends undefined ? never : O }[Operation<P>]
>;

interface EndpointBase<P extends Path> {
  /** The operation's name in the contract. */
  readonly name: string;
  readonly method: MethodOf<P>;
  readonly path: P;
}

/** An endpoint without a handler, which is always mounted. */
export interface CheckEndpoint<P extends Path = Path> extends EndpointBase<P> {
  /** `test` responds with 200 whatever the headers are, as the service expects; `testAuth` only if the request is verified. */
  readonly kind: "test" | "testAuth";
  readonly handler?: undefined;
}

/** An endpoint that calls a handler. */
export interface HandledEndpoint<P extends Path = Path, Input = unknown> extends EndpointBase<P> {
  /** An event is deduplicated; a request is handled every time it arrives. */
  readonly kind: "event" | "request";
  /** The schema of the body or, for a GET, of the path's parameters. */
  readonly schema: Schema;
  /** The name of the handler option. */
  readonly handler: keyof Handlers;
  /** Whether a receiver may leave the event out. Without a handler, the event is acknowledged and dropped (D-152). */
  readonly isOptional: boolean;
  /**
   * Returns the ids of the entity that an event is about. After a later event about the same entity, a copy of the earlier event counts as
   * a new event (D-57). Omitted if the order of events does not matter.
   */
  entityKey?(input: Input): readonly string[];
  /** Converts the handler's result to a response. */
  respond(result: unknown): WebhookResponse;
}

export type Endpoint = CheckEndpoint | HandledEndpoint;

type EventOf<H extends keyof Handlers> = Parameters<NonNullable<Handlers[H]>>[0];

/**
 * Defines the endpoint for an event in the contract. It responds with 200 when its handler returns (D-12, D-13). `method` defaults to POST,
 * and `isOptional` to true.
 */
export const eventEndpoint = <P extends keyof typeof inputSchemas, H extends keyof Handlers>(
  definition: {
    readonly name: string;
    readonly path: P;
    readonly handler: H;
    readonly isOptional?: boolean;
    readonly entityKey?: (event: EventOf<H>) => readonly string[];
  } & ("POST" extends MethodOf<P> ? unknown : { readonly method: MethodOf<P> }),
): HandledEndpoint<P, EventOf<H>> => ({
  kind: "event",
  method: "POST" as MethodOf<P>,
  schema: inputSchemas[definition.path],
  isOptional: true,
  respond: () => acknowledged,
  ...definition,
});
