import type { Fetch } from "@offers/client";

/** What carries the calls, and closes the connections that it keeps for a while; it cannot be used afterwards. */
export interface Transport {
  fetch?: Fetch;
  close(): Promise<void>;
}

/** The runtime's own fetch, which has no public way to close its connections. */
export const runtimesFetch: Transport = {
  async close() {
    const symbols = Object.getOwnPropertySymbols(globalThis);
    // Where there are several, for callers of several generations, they share their connections.
    const symbol = symbols.find(({ description }) => description?.startsWith("undici.globalDispatcher"));
    const dispatcher: unknown = symbol && Reflect.get(globalThis, symbol);
    if (!isClosable(dispatcher)) throw new Error("this runtime's fetch is none of undici's");
    await dispatcher.close();
  },
};

const isClosable = (value: unknown): value is { close(): Promise<void> } =>
  typeof value === "object" && value !== null && "close" in value && typeof value.close === "function";
