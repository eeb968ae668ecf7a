import { standardWebhooks, timestampDigest } from "@offers/webhook-kit";
import type { Sign } from "./outbound.ts";

/**
 * Creates the signer of webhooks (D-76): always with the documented `Timestamp` and `Authorization`, and where the endpoint's
 * profile says so, with the headers of Standard Webhooks in addition.
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
    // With the same id and time. Receivers accept a message if one of its signatures is valid.
    const signatures = [signed, other].map((each) => each["webhook-signature"]).join(" ");
    return { ...headers, ...signed, "webhook-signature": signatures };
  };
}
