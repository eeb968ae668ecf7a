/**
 * Replaces the frames of an error's stack by those of the call. When an error arises after an `await`, the caller is no longer
 * on the stack.
 *
 * @param callSite an `Error` made when the method was called: engines format its stack only when it is read
 */
export function showCallSite(error: Error, { stack = "" }: Error): void {
  // Firefox and Safari write no heading.
  const frames = /^\s+at .*/ms.exec(stack)?.[0] ?? stack.replace(/^Error\n?/, "");
  if (frames) error.stack = `${error}\n${frames}`;
}
