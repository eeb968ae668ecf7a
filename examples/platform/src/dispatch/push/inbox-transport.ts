import type { PushTransport } from "./push-transport.ts";

/**
 * The worker app reads its notifications from the store and hears of new ones through the feed: there is nothing to carry.
 */
export const inboxTransport: PushTransport = { send: async () => undefined };
