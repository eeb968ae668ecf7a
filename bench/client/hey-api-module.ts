/** The client that `generateHeyApi` creates: one module, for Node and for bundlers. */
export const heyApiModule = new URL("../.cache/hey-api/client.mjs", import.meta.url);
