import { compareDateTimes } from "@offers/contract/date-time";
import { offerCreationSchema } from "@offers/contract/schemas";
import { remedyForText } from "../http/fields.ts";
import { type FieldErrors, invalidRequest } from "../http/problem.ts";
import { addFieldError, fieldErrors } from "../http/validation.ts";
import type { Trx } from "../store/store.ts";
import type { OfferCreation } from "./create-offer.ts";

/** The information needed to validate a creation, in addition to its schema. */
interface CreationContext {
  now: Date;
  /** Returns whether this person may create offers with the request's API key. */
  mayCreate: (id: string) => Promise<boolean>;
  /** Returns the ids that belong to workers. */
  knownWorkers: (ids: string[]) => Promise<ReadonlySet<string>>;
}

/**
 * Validates the body of a creation and reports all errors together.
 *
 * @throws {ProblemError} `invalid_request`
 */
export async function checkCreation(body: unknown, context: CreationContext): Promise<OfferCreation> {
  const parsed = offerCreationSchema.safeParse(body);
  const errors = fieldErrors(parsed.error?.issues ?? [], body);
  const { createdByUserId, workerIds, events, ...otherFields } = toFields(body);
  const { title, details, locationPlaceId, notifyEmailAddress } = otherFields;
  checkTexts({ createdByUserId, title, details, locationPlaceId, notifyEmailAddress }, errors);
  if (Array.isArray(workerIds)) checkTexts(workerIds, errors, (index) => `workerIds[${index}]`);
  checkEvents(events, context.now, errors);
  await checkCreator(createdByUserId, context, errors);
  await checkWorkers(workerIds, context, errors);
  if (errors.size > 0 || !parsed.success) throw invalidRequest(errors);
  return parsed.data;
}

/** Reports strings that PostgreSQL cannot store unchanged (D-44). In all other fields, the schema rejects them. */
function checkTexts(values: object, errors: FieldErrors, toFieldName = (key: string) => key): void {
  for (const [key, value] of Object.entries(values)) {
    const remedy = typeof value === "string" ? remedyForText(value) : undefined;
    if (remedy !== undefined) addFieldError(errors, toFieldName(key), remedy);
  }
}

function checkEvents(events: unknown, now: Date, errors: FieldErrors): void {
  if (!Array.isArray(events)) return;
  const today = now.toISOString().slice(0, 10);
  for (const [index, event] of events.entries()) {
    const fields = toFields(event);
    const [start, end] = [toText(fields.start), toText(fields.end)];
    // D-29. An invalid time makes both comparisons false.
    if (compareDateTimes(start, `${today}T00:00:00Z`) < 0)
      addFieldError(
        errors,
        `events[${index}].start`,
        `Choose a start date of today or later (today is ${today} in UTC).`,
      );
    if (compareDateTimes(end, start) <= 0)
      addFieldError(errors, `events[${index}].end`, "Choose an end that is after the start.");
  }
}

/** Returns the value if it is an object, otherwise an empty object, because the schema has already rejected any other value. */
const toFields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reports a creator who may not create offers with this API key (D-37). */
async function checkCreator(id: unknown, context: CreationContext, errors: FieldErrors): Promise<void> {
  if (!isValidId(id) || (await context.mayCreate(id))) return;
  addFieldError(errors, "createdByUserId", "Send the id of a person in the organisation that owns this API key.");
}

/** Reports ids that do not belong to a worker (D-30). */
async function checkWorkers(ids: unknown, context: CreationContext, errors: FieldErrors): Promise<void> {
  if (!Array.isArray(ids) || errors.has("workerIds")) return;
  const existingIds = await context.knownWorkers([...new Set(ids.filter(isValidId))]);
  for (const [index, id] of ids.entries())
    if (isValidId(id) && !existingIds.has(id))
      addFieldError(errors, `workerIds[${index}]`, "Send a worker's id; no worker has this one.");
}

const isValidId = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && remedyForText(value) === undefined;

/**
 * Creates a context for `checkCreation` that queries the store.
 *
 * @param creatorOrganisationIds the organisations whose users may create the offer (D-37)
 */
export const createCreationContext = (
  trx: Trx,
  now: Date,
  creatorOrganisationIds: readonly string[],
): CreationContext => ({
  now,
  async mayCreate(id) {
    const person = await trx
      .selectFrom("people")
      .select("id")
      .where("id", "=", id)
      .where("organisation_id", "in", creatorOrganisationIds)
      .executeTakeFirst();
    return person !== undefined;
  },
  async knownWorkers(ids) {
    if (ids.length === 0) return new Set();
    const workers = await trx.selectFrom("workers").select("id").where("id", "in", ids).execute();
    return new Set(workers.map(({ id }) => id));
  },
});
