/**
 * Sends this process SIGTERM when the shell that npm started it in exits: npm signals the shell, and shells such as dash do not forward the
 * signal. Does nothing if npm did not start the process, which may then outlive its shell.
 */
export function endWithNpm(): void {
  // pnpm and Yarn set this variable too.
  if (process.env.npm_config_user_agent === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
