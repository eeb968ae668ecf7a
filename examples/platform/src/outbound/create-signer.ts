import { standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import type { Sign } from "./outbound.ts";

/**
 * Signs as an endpoint's profile asks (D-76): `Timestamp` and `Authorization` always, since they are the documented ones;
 * the headers of Standard Webhooks beside them, never in their place.
 */
export function createSigner(now: () => Date): Sign {
  const documented = timestampDigest();
  const standard = standardWebhooks();
  return (secret, { scheme, id, content, otherSecret }) => {
    const time = now();
    const headers = documented.sign({ secret, now: time });
    if (scheme === "timestampDigest") return headers;
    const signed = standard.sign({ secret, now: time, body: content, id });
    if (otherSecret === undefined) return { ...headers, ...signed };
    const other = standard.sign({ secret: otherSecret, now: time, body: content, id });
    // Of the same id and time: receivers accept the message when one of the signatures is right.
    const signatures = [signed, other].map((each) => each["webhook-signature"]).join(" ");
    return { ...headers, ...signed, "webhook-signature": signatures };
  };
}
