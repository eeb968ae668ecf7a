/** Rejects if `work` takes longer than `limitMs`. Does not cancel the work. */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
