/** Where a call was made, for its errors: by the time they arise, nothing of the caller is on the stack. */
export interface CallPlace {
  stack?: string;
}

/**
 * V8 and JavaScriptCore note the place in a few microseconds, and write it as text when it is read: after a failure only.
 *
 * @param below the function whose caller is the place
 */
export function noteCallPlace(below: (...given: never[]) => unknown): CallPlace {
  const place: CallPlace = {};
  if (Error.captureStackTrace) Error.captureStackTrace(place, below);
  else place.stack = new Error().stack ?? "";
  return place;
}

/** Puts the place of the call where the stack of an error was, which shows this package's own lines at best. */
export function showCallPlace(error: Error, { stack = "" }: CallPlace): void {
  // Firefox and Safari write no heading.
  const frames = /^\s+at .*/ms.exec(stack)?.[0] ?? stack.replace(/^Error\n?/, "");
  if (frames) error.stack = `${error}\n${frames}`;
}
