/**
 * Ends this process with SIGTERM once the shell has gone that npm started it in: npm passes the signal to the shell, and shells such
 * as dash do not pass it on. Does nothing for a process that npm has not started, which may outlive its shell.
 */
export function endWithNpm(): void {
  // pnpm and Yarn set it, too.
  if (process.env.npm_config_user_agent === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
