import type { Store } from "../../store/store.ts";
import { readFcmCredentials } from "./fcm-credentials.ts";
import { forgetToken } from "./forget-token.ts";
import { inboxTransport } from "./inbox-transport.ts";
import type { PushTransport } from "./push-transport.ts";

/** The inbox; Firebase Cloud Messaging when there are credentials for it (D-79). Only then is its package loaded. */
export async function openPushTransport(
  store: Store,
  fcmCredentials: string | undefined,
  now: () => Date,
): Promise<PushTransport> {
  if (fcmCredentials === undefined) return inboxTransport;
  const credentials = await readFcmCredentials(fcmCredentials);
  const { fcmTransport } = await import("./fcm-transport.ts");
  return fcmTransport({ credentials, now, onUnregistered: (device) => forgetToken(store, device) });
}
