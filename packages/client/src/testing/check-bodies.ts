import { compareDateTimes } from "@offers/contract/date-time";
import { visibleCharacter } from "@offers/contract/decisions";
import { FieldCheck } from "./field-check.ts";
import { invalidRequest } from "./refusal.ts";

/** The validated body of a creation. */
export interface Creation {
  createdByUserId: string;
  title: string;
  details?: string;
  locationPlaceId?: string;
  notifyEmailAddress?: string;
  workerIds: string[];
  events?: { start: string; end: string }[];
}

/** The state that a creation is validated against. */
export interface CreationContext {
  now: Date;
  mayCreate(userId: string): boolean;
  isWorker(id: string): boolean;
}

/** Matches a visible character (D-89). */
const visiblePattern = new RegExp(visibleCharacter, "u");

const optionalFields = ["details", "locationPlaceId", "notifyEmailAddress", "events"];
const fields = ["createdByUserId", "title", "workerIds", ...optionalFields];

/**
 * Validates a creation and returns its body. Reports all errors together (D-01, D-24, D-29, D-30, D-31, D-33, D-37, D-44).
 *
 * @throws {Refusal} `invalid_request`
 */
export function checkCreation(body: unknown, context: CreationContext): Creation {
  const check = new FieldCheck();
  const rawCreation = check.readObject("body", body);
  if (rawCreation === undefined) throw invalidRequest(check.errors);
  const creation = omitOptionalNulls(rawCreation);
  const { events } = creation;
  checkFormats(check, creation);
  const slots = events === undefined ? undefined : checkEvents(check, events, context.now);
  check.rejectUnknownFields("", creation, fields);
  for (const name of fields) check.checkStorable(name, creation[name]);
  checkIds(check, creation, context);
  if (check.errors.size > 0) throw invalidRequest(check.errors);
  return { ...creation, ...(slots && { events: slots }) } as unknown as Creation;
}

/** Checks the formats of all fields except the events. */
function checkFormats(check: FieldCheck, creation: Record<string, unknown>): void {
  const { createdByUserId, title, details, locationPlaceId, notifyEmailAddress, workerIds } = creation;
  if (check.readString("createdByUserId", createdByUserId) === "")
    check.addError("createdByUserId", "Do not leave it empty.");
  const titleText = check.readString("title", title);
  if (titleText !== undefined && !visiblePattern.test(titleText))
    check.addError("title", "The title must not be blank.");
  check.checkShortString("title", titleText, 200);
  check.checkShortString("details", details, 10_000);
  check.checkShortString("locationPlaceId", locationPlaceId, 500);
  check.checkShortString("notifyEmailAddress", notifyEmailAddress, 254);
  if (typeof notifyEmailAddress === "string" && !/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(notifyEmailAddress))
    check.addError("notifyEmailAddress", "Use one email address, such as hana@example.com.");
  check.checkWorkerIds("workerIds", workerIds, (index) => `workerIds[${index}]`);
}

/** Checks that the ids can be stored, and that they belong to a user of the organisation and to workers. */
function checkIds(
  check: FieldCheck,
  { createdByUserId, workerIds }: Record<string, unknown>,
  { mayCreate, isWorker }: CreationContext,
): void {
  if (typeof createdByUserId === "string" && isValid(check, "createdByUserId") && !mayCreate(createdByUserId))
    check.addError("createdByUserId", "Send the id of a person in the organisation that owns this API key.");
  if (Array.isArray(workerIds))
    for (const [index, id] of workerIds.entries()) {
      const name = `workerIds[${index}]`;
      check.checkStorable(name, id);
      if (isValid(check, "workerIds") && isValid(check, name) && !isWorker(id))
        check.addError(name, "Send a worker's id; no worker has this one.");
    }
}

/** Omits optional fields that are null, because null counts as absent (D-94). */
const omitOptionalNulls = (creation: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(creation).filter(([name, value]) => value !== null || !optionalFields.includes(name)),
  );

const isValid = ({ errors }: FieldCheck, field: string): boolean => !errors.has(field);

/** Checks the events and returns them with their times in UTC. */
function checkEvents(check: FieldCheck, events: unknown, now: Date): { start: string; end: string }[] {
  if (!Array.isArray(events)) {
    check.addError("events", "Make it an array.");
    return [];
  }
  const slots: { start: string; end: string }[] = [];
  check.checkMaxLength("events", events, 366);
  const today = now.toISOString().slice(0, 10);
  for (const [index, value] of events.entries()) {
    const name = `events[${index}]`;
    const event = check.readObject(name, value);
    if (event === undefined) continue;
    const slot = {
      start: check.parseDateTime(`${name}.start`, event.start),
      end: check.parseDateTime(`${name}.end`, event.end),
    };
    slots.push(slot);
    check.rejectUnknownFields(`${name}.`, event, ["start", "end"]);
    // An invalid time makes both comparisons false.
    if (compareDateTimes(slot.start, `${today}T00:00:00Z`) < 0)
      check.addError(`${name}.start`, `Choose a start date of today or later (today is ${today} in UTC).`);
    if (compareDateTimes(slot.end, slot.start) <= 0)
      check.addError(`${name}.end`, "Choose an end that is after the start.");
  }
  return slots;
}

/**
 * Checks a completion and returns the ids of the workers who get the work.
 *
 * @throws {Refusal} `invalid_request`
 */
export function checkCompletion(body: unknown): string[] {
  const check = new FieldCheck();
  check.checkWorkerIds("body", body, (index) => `[${index}]`);
  if (check.errors.size > 0) throw invalidRequest(check.errors);
  return body as string[];
}
