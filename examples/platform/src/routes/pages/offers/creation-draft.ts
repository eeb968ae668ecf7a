import { toSearchText } from "../../../http/fields.ts";
import type { LocalTimes } from "../layout/time.ts";

/** The user's input in the form for a new offer, before validation. */
export interface CreationDraft {
  /** The id of the organisation for which an agency's user creates the offer. */
  organisationId: string;
  title: string;
  details: string;
  /** The id of a named place, selected from the list. */
  place: string;
  /** The id of a place, entered by hand. It takes precedence over `place`. */
  locationPlaceId: string;
  notifyEmailAddress: string;
  /** The search text for the list of workers. */
  workerSearch: string;
  /** The ids of the workers selected in the list. */
  selected: string[];
  /** More worker ids, entered one per line. */
  moreWorkerIds: string;
  slots: { start: string; end: string }[];
}

export const emptyDraft = (): CreationDraft => readDraft(new URLSearchParams({ start: "", end: "" }));

export function readDraft(form: URLSearchParams): CreationDraft {
  const readText = (name: string): string => form.get(name) ?? "";
  const ends = form.getAll("end");
  return {
    organisationId: readText("organisationId"),
    title: readText("title"),
    details: readText("details"),
    place: readText("place"),
    locationPlaceId: readText("locationPlaceId"),
    notifyEmailAddress: readText("notifyEmailAddress"),
    workerSearch: toSearchText(readText("workerSearch")),
    selected: form.getAll("worker"),
    moreWorkerIds: readText("moreWorkerIds"),
    slots: form.getAll("start").map((start, index) => ({ start, end: ends[index] ?? "" })),
  };
}

/** Builds the body of the request that creates the offer. Omits empty fields, and converts times to UTC. */
export function toCreation(draft: CreationDraft, createdByUserId: string, { toUtc }: Pick<LocalTimes, "toUtc">) {
  const { title, details, notifyEmailAddress } = draft;
  const locationPlaceId = draft.locationPlaceId || draft.place;
  // If a clock change repeats the end time, use its first instant after the start.
  const events = filledSlots(draft).map(({ start, end }) => ({ start: toUtc(start), end: toUtc(end, toUtc(start)) }));
  return {
    createdByUserId,
    title,
    ...(details !== "" && { details }),
    ...(locationPlaceId !== "" && { locationPlaceId }),
    ...(notifyEmailAddress !== "" && { notifyEmailAddress: notifyEmailAddress.trim() }),
    workerIds: allWorkerIds(draft),
    ...(events.length > 0 && { events }),
  };
}

/** Returns the ids of the selected workers and then of the other workers, in the same order as `workerIds` in the body. */
export const allWorkerIds = ({ selected, moreWorkerIds }: CreationDraft): string[] => [
  ...selected,
  ...moreWorkerIds
    .split(/[\n,;]/)
    .map((id) => id.trim())
    .filter((id) => id !== ""),
];

/** Returns the time slots that are not empty, in the same order as `events` in the body. */
export const filledSlots = ({ slots }: CreationDraft) => slots.filter(({ start, end }) => start !== "" || end !== "");
