import type { CallOptions } from "../options/options.ts";

/** Under this symbol `watchOffer` passes on where the watch was started, for the stacks of its reads' errors. */
export const callSiteKey: unique symbol = Symbol();

export type CallOptionsWithSite = CallOptions & { readonly [callSiteKey]?: Error };
