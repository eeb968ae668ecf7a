import type { TimelineChanged } from "../events.ts";
import { timelineChangedSchema } from "../generated/schemas.ts";
import { acknowledged } from "../http/response.ts";
import { after, attempt, fromUser } from "../receive/after.ts";
import { handlerFailed } from "../receive/handler-failed.ts";
import type { HandledEndpoint } from "./endpoint.ts";

/** An extra of the live service (D-34). */
export const timelineChanged: HandledEndpoint<"/events/timelineChanged", TimelineChanged> = {
  kind: "event",
  name: "TimelineChanged",
  method: "POST",
  path: "/events/timelineChanged",
  schema: timelineChangedSchema,
  handlerName: "onTimelineChanged",
  handle: (handlers, event, context) =>
    after(
      attempt(() => fromUser(handlers.onTimelineChanged?.(event, context)), handlerFailed("TimelineChanged")),
      () => acknowledged,
    ),
};
