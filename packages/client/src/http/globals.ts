// The declarations of the user's libraries, if any: these types must also compile without DOM and Node types.

/** The runtime's `AbortSignal`. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer Known } }
  ? Known
  : { readonly aborted: boolean };

/** The runtime's `URL`. */
export type Url = typeof globalThis extends { URL: { prototype: infer Known } } ? Known : { readonly href: string };
