import type { Fetch } from "@offers/client";

/** What carries the calls, and closes the connections that it keeps for a while; it cannot be used afterwards. */
export interface Transport {
  fetch?: Fetch;
  close(): Promise<void>;
}

/** The runtime's own fetch, which has no public way to close its connections. */
export const runtimesFetch: Transport = {
  async close() {
    // Where there are several, for callers of several generations, they share their connections.
    const isDispatcher = ({ description }: symbol) => description?.startsWith("undici.globalDispatcher");
    const symbol = Object.getOwnPropertySymbols(globalThis).find(isDispatcher);
    if (symbol === undefined) throw new Error("this runtime's fetch is none of undici's");
    await Reflect.get(globalThis, symbol).close();
  },
};
