import type { Store } from "../store/store.ts";
import type { CheckPassword } from "./check-password.ts";
import type { Role } from "./role.ts";
import { invalidCredentials, type NewSession, openSession } from "./sessions.ts";

export interface SignInDeps {
  store: Store;
  now: () => Date;
  checkPassword: CheckPassword;
}

export interface SignInCredentials {
  name: string;
  password: string;
  /** The caller's address; failed attempts are counted per network (D-55). */
  address: string;
}

/**
 * Opens a session for a name and password.
 *
 * @throws {ProblemError} `invalid_credentials` or `too_many_sign_ins`
 */
export async function signIn(
  deps: SignInDeps,
  role: Role,
  { name, password, address }: SignInCredentials,
): Promise<NewSession> {
  const found = await role.find(deps.store, name);
  const account = `${role.name} ${name.toLowerCase()}`;
  const proven = await deps.checkPassword({ account, address }, password, found?.password_hash);
  if (!found || !proven) throw invalidCredentials();
  return await openSession(deps.store, role, found.id, deps.now());
}
