/**
 * Puts the place where a call was made into the stack of its error, which shows this package's own lines at best: by the time
 * an error arises, nothing of the caller is on the stack.
 *
 * @param place an `Error` that was made there: every engine writes its stack as text when it is read, after a failure only
 */
export function showCallPlace(error: Error, { stack = "" }: Error): void {
  // Firefox and Safari write no heading.
  const frames = /^\s+at .*/ms.exec(stack)?.[0] ?? stack.replace(/^Error\n?/, "");
  if (frames) error.stack = `${error}\n${frames}`;
}
