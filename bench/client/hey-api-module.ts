/** The module that `generateHeyApi` creates, for Node and for bundlers. */
export const heyApiModule = new URL("../.cache/hey-api/client.mjs", import.meta.url);
