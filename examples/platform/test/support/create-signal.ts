/** Creates a promise, and the function that resolves it. */
export function createSignal(): [Promise<void>, () => void] {
  let resolveSignal = (): void => undefined;
  const signal = new Promise<void>((resolve) => {
    resolveSignal = resolve;
  });
  return [signal, resolveSignal];
}
