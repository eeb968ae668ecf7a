import { errorFields } from "./observability/error-fields.ts";
import { databaseError } from "./settings/check-database.ts";
import { SettingError } from "./settings/setting-error.ts";
import { StoreError } from "./store/store.ts";

/** Of the system; of PostgreSQL: refused, no such database, too many connections, not allowed, starting up. */
const connectionCode = /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|E\w+UNREACH|EPIPE|08...|28...|3D000|42501|53300|57P0.)$/;

/** One line that says what to do. Any other error is a bug: it keeps its stack, but not its message, which may hold secrets. */
export function startFailure(error: unknown, databaseUrl: string | undefined): string | Record<string, unknown> {
  if (error instanceof SettingError || error instanceof StoreError) return error.message;
  const { code, syscall, path, message } = Object(error) as NodeJS.ErrnoException;
  if (databaseUrl && connectionCode.test(code ?? "")) return databaseError(error, databaseUrl).message;
  // An error of the file system says which file and why.
  if (syscall !== undefined && path !== undefined) return message;
  return errorFields(error);
}
