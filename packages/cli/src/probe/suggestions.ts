/** Whether a response body is a list of suggestions that the service can use. The service discards a list with an invalid item (D-21). */
export function isSuggestionList(body: string): boolean {
  try {
    // The body was decoded as ISO 8859-1, but JSON is encoded in UTF-8.
    const list: unknown = JSON.parse(Buffer.from(body, "latin1").toString());
    return Array.isArray(list) && list.every(isSuggestion);
  } catch {
    return false;
  }
}

function isSuggestion(value: unknown): boolean {
  const { name, emailAddress, profileImageUrl, ratings } = fieldsOf(value);
  return (
    isNonEmptyString(name) &&
    isNonEmptyString(emailAddress) &&
    /^[^@\s]+@[^@\s]+$/.test(String(emailAddress)) &&
    (profileImageUrl === undefined || profileImageUrl === null || typeof profileImageUrl === "string") &&
    Array.isArray(ratings) &&
    ratings.every(isRating)
  );
}

function isRating(value: unknown): boolean {
  const { rating, ratingProvider, lastWorked } = fieldsOf(value);
  const isInRange = Number.isInteger(rating) && Number(rating) >= 1 && Number(rating) <= 5;
  // A date without a time is accepted too (D-28).
  return (
    isInRange &&
    isNonEmptyString(ratingProvider) &&
    typeof lastWorked === "string" &&
    /^\d{4}-\d\d-\d\d/.test(lastWorked)
  );
}

const isNonEmptyString = (value: unknown): boolean => typeof value === "string" && value !== "";

/** Returns the fields of an object, or no fields for any other value. */
const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
