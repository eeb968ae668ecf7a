import type { LocalTimes } from "../layout/time.ts";

/** The input of the form for a new offer, not validated. */
export interface CreationDraft {
  /** The organisation that an agency's user creates the offer for. */
  organisationId: string;
  title: string;
  details: string;
  /** The id of a place with a name, from the list. */
  place: string;
  /** The typed id of a place. It takes precedence over the list. */
  locationPlaceId: string;
  notifyEmailAddress: string;
  /** The text to search the list of workers for. */
  workerSearch: string;
  /** Selected worker ids. */
  selected: string[];
  /** Entered worker ids, one per line. */
  moreWorkerIds: string;
  slots: { start: string; end: string }[];
}

export const emptyDraft = (): CreationDraft => readDraft(new URLSearchParams({ start: "", end: "" }));

export function readDraft(form: URLSearchParams): CreationDraft {
  const text = (name: string): string => form.get(name) ?? "";
  const ends = form.getAll("end");
  return {
    organisationId: text("organisationId"),
    title: text("title"),
    details: text("details"),
    place: text("place"),
    locationPlaceId: text("locationPlaceId"),
    notifyEmailAddress: text("notifyEmailAddress"),
    workerSearch: text("workerSearch").trim().slice(0, 200),
    selected: form.getAll("worker"),
    moreWorkerIds: text("moreWorkerIds"),
    slots: form.getAll("start").map((start, at) => ({ start, end: ends[at] ?? "" })),
  };
}

/** The request body of a creation, without empty fields and with times in UTC. */
export function creationOf(draft: CreationDraft, createdByUserId: string, { toUtc }: Pick<LocalTimes, "toUtc">) {
  const { title, details, notifyEmailAddress } = draft;
  const locationPlaceId = draft.locationPlaceId || draft.place;
  const events = filledSlots(draft).map(({ start, end }) => ({ start: toUtc(start), end: toUtc(end, toUtc(start)) }));
  return {
    createdByUserId,
    title,
    ...(details !== "" && { details }),
    ...(locationPlaceId !== "" && { locationPlaceId }),
    ...(notifyEmailAddress !== "" && { notifyEmailAddress: notifyEmailAddress.trim() }),
    workerIds: workerIdsOf(draft),
    ...(events.length > 0 && { events }),
  };
}

/** In the order of `workerIds` in the body. */
export const workerIdsOf = ({ selected, moreWorkerIds }: CreationDraft): string[] => [
  ...selected,
  ...moreWorkerIds
    .split(/[\n,;]/)
    .map((id) => id.trim())
    .filter((id) => id !== ""),
];

/** In the order of `events` in the body. */
export const filledSlots = ({ slots }: CreationDraft) => slots.filter(({ start, end }) => start !== "" || end !== "");
