import { z } from "zod";
import type { Methods } from "../http/define-routes.ts";
import type { EventStreams } from "../http/event-streams.ts";
import { checkParameters } from "../http/known-parameters.ts";
import { parseBody } from "../http/parse-body.ts";
import type { ReadJson } from "../http/read-json.ts";
import { textField } from "../http/text-field.ts";
import type { Role } from "./role.ts";
import { bearerToken, closeSession, type SignedInDeps } from "./sessions.ts";
import { type SignInDeps, signIn } from "./sign-in.ts";

export interface SessionDeps extends SignInDeps, SignedInDeps {
  readJson: ReadJson;
  streams: EventStreams;
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
