import { rejectRequest } from "../http/rejected.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Observer } from "../observability/observer.ts";

/** The response for an unknown path, where there is no next middleware (D-63). */
export function rejectUnknownPath(observer: Pick<Observer, "rejected">): WebhookResponse {
  const { response, rejection } = rejectRequest("unknown_path");
  const message = `${rejection.message} Is basePath the path of the registered base address, as it arrives here?`;
  observer.rejected({ ...rejection, message });
  return response;
}
