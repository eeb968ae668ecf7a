import { z } from "zod";
import type { Methods } from "../http/define-routes.ts";
import type { EventStreams } from "../http/event-streams.ts";
import type { ReadJson } from "../http/read-json.ts";
import type { PersonLimits } from "../rate-limits/person-limits.ts";
import type { Store } from "../store/store.ts";
import { checkParameters } from "../validation/known-parameters.ts";
import { parseBody } from "../validation/parse-body.ts";
import { textField } from "../validation/text-field.ts";
import type { CheckPassword } from "./check-password.ts";
import type { Role } from "./role.ts";
import { bearerToken, closeSession } from "./sessions.ts";
import { signIn } from "./sign-in.ts";

export interface SessionDeps {
  store: Store;
  now: () => Date;
  readJson: ReadJson;
  checkPassword: CheckPassword;
  streams: EventStreams;
  personLimits: PersonLimits;
}

/** Methods of a role's session path: POST signs in, DELETE signs out. */
export function sessionMethods(deps: SessionDeps, role: Role): Methods {
  const credentialsSchema = z.strictObject({ [role.name]: textField, password: textField });
  return {
    async post(request, response) {
      checkParameters(request);
      const credentials = parseBody(credentialsSchema, await deps.readJson(request, response));
      const { [role.name]: name = "", password = "" } = credentials;
      response.status(201).json(await signIn(deps, role, { name, password, address: request.ip ?? "" }));
    },
    async delete(request, response) {
      checkParameters(request);
      const closed = await closeSession(deps.store, bearerToken(request), role);
      if (closed !== undefined) deps.streams.end(closed);
      response.status(204).end();
    },
  };
}
