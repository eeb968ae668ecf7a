/**
 * Sends SIGTERM to this process when the shell that npm started it in exits, because npm signals only the shell, and shells such as dash do
 * not forward the signal. Does nothing if npm did not start the process, because such a process may outlive its shell.
 */
export function endWithNpm(): void {
  // pnpm and Yarn set this variable too.
  if (process.env.npm_config_user_agent === undefined) return;
  const shellPid = process.ppid;
  const timer = setInterval(() => {
    // When the shell exits, this process gets a different parent.
    if (process.ppid === shellPid) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, 500).unref();
}
