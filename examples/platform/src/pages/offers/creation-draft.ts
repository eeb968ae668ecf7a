import { localInUtc } from "../layout/local-in-utc.ts";

/** What somebody typed into the form of a new offer: kept to the letter until it is right. */
export interface CreationDraft {
  title: string;
  details: string;
  locationPlaceId: string;
  notifyEmailAddress: string;
  /** Picked from the list. */
  picked: string[];
  /** Typed, one a line. */
  moreWorkerIds: string;
  slots: { start: string; end: string }[];
}

export const emptyDraft = (): CreationDraft => ({
  title: "",
  details: "",
  locationPlaceId: "",
  notifyEmailAddress: "",
  picked: [],
  moreWorkerIds: "",
  slots: [{ start: "", end: "" }],
});

export function readDraft(form: URLSearchParams): CreationDraft {
  const text = (name: string): string => form.get(name) ?? "";
  const ends = form.getAll("end");
  return {
    title: text("title"),
    details: text("details"),
    locationPlaceId: text("locationPlaceId"),
    notifyEmailAddress: text("notifyEmailAddress"),
    picked: form.getAll("worker"),
    moreWorkerIds: text("moreWorkerIds"),
    slots: form.getAll("start").map((start, at) => ({ start, end: ends[at] ?? "" })),
  };
}

/** The body of a creation, as the API takes it: what was left empty is left out. */
export function creationOf(draft: CreationDraft, createdByUserId: string) {
  const { title, details, locationPlaceId, notifyEmailAddress } = draft;
  const events = filledSlots(draft).map(({ start, end }) => ({ start: localInUtc(start), end: localInUtc(end) }));
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

/** In the order of the body's `workerIds`. */
export const workerIdsOf = ({ picked, moreWorkerIds }: CreationDraft): string[] => [
  ...picked,
  ...moreWorkerIds
    .split(/[\n,;]/)
    .map((id) => id.trim())
    .filter((id) => id !== ""),
];

/** In the order of the body's `events`. */
export const filledSlots = ({ slots }: CreationDraft) => slots.filter(({ start, end }) => start !== "" || end !== "");
