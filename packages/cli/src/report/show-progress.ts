/** Shows how far a command is, on a terminal only: a log would get a line for every step. */
export function showProgress(stream: NodeJS.WriteStream): { update(done: number, total: number): void; clear(): void } {
  if (!stream.isTTY) return { update: () => undefined, clear: () => undefined };
  let shownAt = 0;
  return {
    update(done, total) {
      const now = performance.now();
      if (now - shownAt < 100 && done < total) return;
      shownAt = now;
      const filled = Math.floor((done / Math.max(1, total)) * 30);
      stream.write(`\r  ${"█".repeat(filled)}${"░".repeat(30 - filled)}  ${done} of ${total} cases`);
    },
    clear: () => void stream.write("\r\x1b[2K"),
  };
}
