import type * as z from "zod";
import type { Handlers } from "../handlers.ts";
import { acknowledged } from "../http/response.ts";
import type { AsZodInfers, HandledEndpoint, MethodOf, Path } from "./endpoint.ts";

type EventOf<H extends keyof Handlers> = Parameters<NonNullable<Handlers[H]>>[0];

/** An event of the contract, acknowledged with 200 once its handler returns (D-12, D-13). POST where `method` is left out. */
export const eventEndpoint = <P extends Path, H extends keyof Handlers>(
  definition: {
    readonly name: string;
    readonly path: P;
    readonly schema: z.ZodType<AsZodInfers<EventOf<H>>>;
    readonly handler: H;
    readonly entityKey?: (event: EventOf<H>) => readonly string[];
  } & ("POST" extends MethodOf<P> ? unknown : { readonly method: MethodOf<P> }),
): HandledEndpoint<P, EventOf<H>> => ({
  kind: "event",
  method: "POST" as MethodOf<P>,
  respond: () => acknowledged,
  ...definition,
});
