import { JWT } from "google-auth-library";
import { Agent, type Dispatcher, fetch, request } from "undici";
import { truncateText } from "../http/fields.ts";
import { offerSummary } from "../mail/mail-text.ts";
import type { Store } from "../store/store.ts";
import type { Device, NotificationReason, Push, PushTransport } from "./push-transport.ts";

/** The key of a service account, as downloaded from the Firebase console. */
export interface FcmCredentials {
  projectId: string;
  clientEmail: string;
  privateKey: string;
}

export interface FcmOptions {
  credentials: FcmCredentials;
  /** Called if the push service will never accept the device's token, for example because the app was uninstalled. */
  onUnregistered: (device: Device) => Promise<void>;
  now: () => Date;
  /** Sends the requests to Google. Closed when the transport is closed. @default an agent with up to 32 connections */
  dispatcher?: Dispatcher;
  /**
   * The time limit for one message, in milliseconds. Requesting an access token may take another 3 s. Must be shorter than the time
   * allowed for a shutdown.
   *
   * @default 9_000
   */
  timeoutMs?: number;
}

/** Thrown if the push service rejected a message. `code` is its error code, such as `QUOTA_EXCEEDED`, or a status, such as `HTTP_503`. */
class FcmError extends Error {
  override readonly name = "FcmError";
  readonly code: string;

  constructor(code: string) {
    super(`the push service rejected the message: ${code}`);
    this.code = code;
  }
}

const scope = "https://www.googleapis.com/auth/firebase.messaging";
const tokenTimeoutMs = 3_000;

/**
 * Creates a transport for the HTTP v1 API of Firebase Cloud Messaging, which uses APNs for iOS (D-79). Does not use firebase-admin,
 * because its retries delay a shutdown by over a minute, and because it ignores the dispatcher when it requests an access token.
 */
export function createFcmTransport({ credentials, onUnregistered, now, ...options }: FcmOptions): PushTransport {
  const { dispatcher = new Agent({ connections: 32 }), timeoutMs = 9_000 } = options;
  const { projectId, clientEmail: email, privateKey: key } = credentials;
  const path = `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
  // google-auth-library expects the type of the global `fetch`, which differs from the type of undici's `fetch`.
  const fetchWithDispatcher = (url: unknown, init: unknown) =>
    fetch(url as string, { ...(init as RequestInit), dispatcher } as object) as unknown as Promise<Response>;
  const createTokenClient = () =>
    new JWT({
      email,
      key,
      scopes: [scope],
      transporterOptions: {
        fetchImplementation: fetchWithDispatcher,
        timeout: tokenTimeoutMs,
        retryConfig: { retry: 0 },
      },
    });
  let tokenClient = createTokenClient();

  /** @returns undefined if the push service accepted the message */
  const postMessage = async (message: object): Promise<FcmRejection | undefined> => {
    const { token } = await tokenClient.getAccessToken();
    const { statusCode, body } = await request(`https://fcm.googleapis.com${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ message }),
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await body.text();
    if (statusCode === 200) return undefined;
    // A 401 means that the access token was revoked. Use a new one for the next message.
    if (statusCode === 401) tokenClient = createTokenClient();
    return { code: extractErrorCode(text) ?? `HTTP_${statusCode}`, isAboutToken: tokenRejection.test(text) };
  };

  return {
    async send(device, notification) {
      // A device without a token cannot receive pushes. It shows only the notifications menu.
      if (device.token === null) return "no_token";
      const rejection = await postMessage(buildFcmMessage(device, notification, now()));
      if (rejection === undefined) return undefined;
      if (!rejection.isAboutToken) throw new FcmError(rejection.code);
      await onUnregistered(device);
      return "unregistered";
    },
    close: () => dispatcher.close(),
  };
}

interface FcmRejection {
  code: string;
  /** Whether the push service rejected the device's token, which no other message can use either. */
  isAboutToken: boolean;
}

/**
 * Matches a rejection of the token: the app was uninstalled, the token belongs to a different Firebase project, or it is malformed. The
 * code of a malformed token, INVALID_ARGUMENT, is also the code of a message that is too big.
 */
const tokenRejection =
  /"errorCode"\s*:\s*"(?:UNREGISTERED|SENDER_ID_MISMATCH)"|"message"\s*:\s*"The registration token is not a valid|"field"\s*:\s*"message\.token"/;

/** Extracts the error code from a response. @see https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode */
function extractErrorCode(text: string): string | undefined {
  return /"errorCode"\s*:\s*"([A-Z_]{1,64})"/.exec(text)?.[1];
}

/** The line above the offer's title on a phone. */
const titles: Record<NotificationReason, string> = {
  offer: "You have a new offer",
  successful: "You got the work",
  unsuccessful: "Others got the work",
  withdrawn: "The offer was withdrawn",
};

const daySeconds = 24 * 60 * 60;

/** The maximum size of each line. The push service rejects messages over 4 kB, and phones show only a line or two of a title. */
const maxLineBytes = 800;

/**
 * Builds the message for Firebase Cloud Messaging: the text to show, and the ids that the worker app needs to open the offer.
 *
 * A phone shows only the latest notification about each offer. A notification that is sent twice appears once, and a notification
 * about a withdrawal replaces the notification about the offer. `sequence` increases, so that an app can detect a push that arrives
 * after a newer push (D-99).
 *
 * @see https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
 */
export function buildFcmMessage(
  { platform, token }: Device,
  { id, offerId, offerTitle, reason, ...summary }: Push,
  now: Date,
): object {
  // Remove the labels `When:` and `Where:`.
  const lines = offerSummary(summary).map((line) => line.replace(/^\w+: /, ""));
  const body = [offerTitle, ...lines].map((line) => truncateText(line, maxLineBytes)).join("\n");
  const notification = { title: titles[reason], body };
  const message = { token, notification, data: { sequence: String(id), offerId, reason } };
  if (platform === "android")
    return { ...message, android: { priority: "HIGH", ttl: `${daySeconds}s`, notification: { tag: offerId } } };
  const headers = {
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-expiration": String(Math.floor(now.getTime() / 1_000) + daySeconds),
    "apns-collapse-id": offerId,
  };
  return { ...message, apns: { headers, payload: { aps: { sound: "default", "thread-id": offerId } } } };
}

/** Removes a device's token, unless the app has registered a new token since. The device keeps its notifications menu. */
export async function removeToken(store: Store, { id, token }: Device): Promise<void> {
  await store.db.updateTable("devices").set({ token: null }).where("id", "=", id).where("token", "=", token).execute();
}
