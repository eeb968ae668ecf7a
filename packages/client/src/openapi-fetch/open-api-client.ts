import type { Client, FetchOptions } from "openapi-fetch";
import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { paths } from "../generated/openapi.ts";
import type { CallOptions } from "../options/options.ts";

type Verb = "get" | "post";
/** As the contract has them. */
type Success = 200 | 201 | 204;
type PathsOf<Method extends Verb> = {
  [Path in keyof paths]: [NonNullable<paths[Path][Method]>] extends [never] ? never : Path;
}[keyof paths];

type Options<Operation> = Omit<FetchOptions<Operation>, "parseAs" | "signal"> & Omit<CallOptions, "headers">;
type Init<Operation> = object extends Options<Operation> ? [init?: Options<Operation>] : [init: Options<Operation>];

/** openapi-fetch derives this type too, but closes the open enums. */
type Data<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses & Success]: Responses[Status] extends {
        content: { "application/json": infer Body };
      }
        ? Body
        : undefined;
    }[keyof Responses & Success]
  : never;
type OperationResult<Operation> = Promise<
  { response: Response } & ({ data: Data<Operation>; error?: never } | { data?: never; error: AnyOffersError })
>;
type TypedCall<Method extends Verb> = <Path extends PathsOf<Method>>(
  path: Path,
  ...init: Init<NonNullable<paths[Path][Method]>>
) => OperationResult<NonNullable<paths[Path][Method]>>;

/**
 * What {@link createOpenApiClient} makes: openapi-fetch's client with the paths of the contract (spec/openapi.yaml), and an
 * `AnyOffersError` for every failure.
 *
 * @example
 * ```ts
 * import type { OpenApiClient } from "@offers/client/openapi-fetch";
 *
 * export const titleOf = async (api: OpenApiClient, id: string): Promise<string | undefined> =>
 *   (await api.GET("/offer/{id}", { params: { path: { id } } })).data?.title;
 * ```
 */
export interface OpenApiClient extends Pick<Client<paths>, "use" | "eject"> {
  /** A read, or a withdrawal. */
  GET: TypedCall<"get">;
  /** A creation, or a completion. */
  POST: TypedCall<"post">;
  /** Any of them, the method first. */
  request: <Method extends Verb, Path extends PathsOf<Method>>(
    method: Method,
    path: Path,
    ...init: Init<NonNullable<paths[Path][Method]>>
  ) => OperationResult<NonNullable<paths[Path][Method]>>;
}
