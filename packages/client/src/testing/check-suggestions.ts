import { visibleCharacter } from "@offers/contract/decisions";
import { DeliveryError } from "./delivery/delivery-error.ts";
import type { SuggestedContact } from "./delivery/test-webhooks.ts";
import type { ReceivedOutcome } from "./delivery/webhook-outcome.ts";
import { FieldCheck } from "./field-check.ts";

/**
 * Returns the suggestions in a response, or throws if any of them is invalid (D-21).
 *
 * @throws {DeliveryError}
 */
export function checkSuggestions(outcome: ReceivedOutcome): SuggestedContact[] {
  const { status, failure, error, body = new Uint8Array(), isTruncated } = outcome;
  if (status === undefined) throw new DeliveryError(failure ?? "connection_lost", "There was no response.", error);
  if (status !== 200)
    throw new DeliveryError("unexpected_status", `The receiver responded with ${status} instead of 200.`);
  if (isTruncated) throw new DeliveryError("response_too_large", "The response is larger than 1 MiB.");
  const check = new FieldCheck();
  const suggestions = readSuggestions(check, parseJson(body));
  if (check.errors.size === 0) return suggestions;
  // Only field names, because values are personal data (D-49).
  const fields = [...check.errors.keys()].join(", ");
  throw new DeliveryError(
    "invalid_suggestions",
    `The response is not a valid list of suggestions; invalid fields: ${fields}.`,
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new DeliveryError("malformed_json", "The response is not JSON in UTF-8.");
  }
}

function readSuggestions(check: FieldCheck, value: unknown): SuggestedContact[] {
  return readArray(check, "body", value).map((suggestion, index) => {
    const field = `[${index}]`;
    const { name, emailAddress, profileImageUrl, ratings, ...otherFields } = check.readObject(field, suggestion) ?? {};
    checkName(check, `${field}.name`, name);
    const address = check.readString(`${field}.emailAddress`, emailAddress);
    if (address !== undefined && (address.length > 254 || !/^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(address)))
      check.addError(`${field}.emailAddress`, "Use one email address, such as hana@example.com.");
    // An optional field that is null counts as absent (D-94).
    const image = profileImageUrl === null ? undefined : profileImageUrl;
    const imageUrl = check.readString(`${field}.profileImageUrl`, image, false);
    if (imageUrl !== undefined && !(/^https?:\/\//i.test(imageUrl) && URL.canParse(imageUrl)))
      check.addError(`${field}.profileImageUrl`, "Use a full URL that starts with https:// or http://.");
    return {
      ...otherFields,
      name,
      emailAddress,
      ...(imageUrl !== undefined && { profileImageUrl: imageUrl }),
      ratings: readArray(check, `${field}.ratings`, ratings).map((rating, ratingIndex) =>
        readRating(check, `${field}.ratings[${ratingIndex}]`, rating),
      ),
    } as SuggestedContact;
  });
}

function readRating(check: FieldCheck, field: string, value: unknown): object {
  const rating = check.readObject(field, value) ?? {};
  const points = Number.isInteger(rating.rating) ? Number(rating.rating) : 0;
  if (points < 1 || points > 5) check.addError(`${field}.rating`, "Use a whole number from 1 to 5.");
  check.readString(`${field}.ratingProvider`, rating.ratingProvider);
  const { lastWorked: time } = rating;
  // A date without a time counts as midnight UTC (D-28).
  const dateTime = typeof time === "string" && /^\d{4}-\d{2}-\d{2}$/.test(time) ? `${time}T00:00:00Z` : time;
  return { ...rating, lastWorked: check.parseDateTime(`${field}.lastWorked`, dateTime) };
}

/** Matches a visible character (D-89). */
const visiblePattern = new RegExp(visibleCharacter, "u");

/** Checks a name, which must be one line because contacts are invited by email. */
function checkName(check: FieldCheck, field: string, value: unknown): void {
  const name = check.readString(field, value);
  if (name === undefined) return;
  check.checkShortString(field, name, 500);
  check.checkStorable(field, name);
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name) || !visiblePattern.test(name))
    check.addError(field, "Use one line with at least one visible character.");
}

function readArray(check: FieldCheck, field: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  check.addError(field, "Make it an array.");
  return [];
}
