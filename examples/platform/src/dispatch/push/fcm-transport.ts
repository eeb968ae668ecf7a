import { JWT } from "google-auth-library";
import { Agent, type Dispatcher, fetch, request } from "undici";
import type { FcmCredentials } from "./fcm-credentials.ts";
import { fcmMessage } from "./fcm-message.ts";
import type { Device, PushTransport } from "./push-transport.ts";

export interface FcmOptions {
  credentials: FcmCredentials;
  /** Called when the push service does not know the device's token any more: the app was removed. */
  onUnregistered: (device: Device) => Promise<void>;
  now: () => Date;
  /** The way to Google, whose hosts are fixed. Closed with the transport. @default keeps 32 connections */
  dispatcher?: Dispatcher;
  /** For one message, beside 3 s for an access token: shorter than stopping may take. @default 9_000 */
  timeoutMs?: number;
}

/** The push service refused, in words of its own such as `QUOTA_EXCEEDED`. */
class FcmError extends Error {
  override readonly name = "FcmError";
  readonly code: string;

  constructor(code: string) {
    super(`the push service refused: ${code}`);
    this.code = code;
  }
}

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const tokenTimeoutMs = 3_000;

/**
 * Pushes over the HTTP v1 API of Firebase Cloud Messaging, to iOS through APNs (D-79). Not with firebase-admin: it repeats
 * a request for over a minute, by when the process should have stopped, and asks for its access token past any agent.
 */
export function fcmTransport({ credentials, onUnregistered, now, ...options }: FcmOptions): PushTransport {
  const { dispatcher = new Agent({ connections: 32 }), timeoutMs = 9_000 } = options;
  const { projectId, clientEmail: email, privateKey: key } = credentials;
  const path = `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
  const fetchThere = (url: unknown, init: unknown) =>
    fetch(url as string, { ...(init as RequestInit), dispatcher } as object) as unknown as Promise<Response>;
  const newAccess = () =>
    new JWT({
      ...{ email, key, scopes: [scope] },
      transporterOptions: { fetchImplementation: fetchThere, timeout: tokenTimeoutMs, retryConfig: { retry: 0 } },
    });
  let access = newAccess();

  const post = async (message: object): Promise<string | undefined> => {
    const { token } = await access.getAccessToken();
    const { statusCode, body } = await request(`https://fcm.googleapis.com${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message }),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await body.text();
    if (statusCode === 200) return undefined;
    // Revoked before its time: the next message gets another.
    if (statusCode === 401) access = newAccess();
    return errorCodeOf(text) ?? `HTTP_${statusCode}`;
  };

  return {
    async send(device, notification) {
      // Without a token there is nothing to carry: the menu has it.
      if (device.token === null) return;
      const refusal = await post(fcmMessage(device, notification, now()));
      if (refusal === "UNREGISTERED") await onUnregistered(device);
      else if (refusal !== undefined) throw new FcmError(refusal);
    },
    close: () => dispatcher.close(),
  };
}

/** @see https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function errorCodeOf(text: string): string | undefined {
  return /"errorCode"\s*:\s*"([A-Z_]{1,64})"/.exec(text)?.[1];
}
