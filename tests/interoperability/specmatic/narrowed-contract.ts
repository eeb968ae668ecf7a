import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parse } from "yaml";

type Json = Record<string, unknown>;

/** The properties of the contract that the tests use. */
interface Contract extends Json {
  webhooks?: unknown;
  components: {
    securitySchemes: Json;
    schemas: Record<string, { properties: Record<string, Json>; items: Json } & Json>;
  };
}

/** Patterns for a title and an email address that Java's regular expressions support. */
export const narrowPatterns = { title: "^[A-Z][A-Za-z ]{0,60}", emailAddress: "^[a-z]{1,20}@[a-z-]{1,30}\\.example" };

/**
 * Reads the contract, narrowed to values that Specmatic can generate. Java's regular expressions do not support the patterns for titles and
 * email addresses, and a schema cannot specify which users and workers exist. Everything else is unchanged.
 */
export async function readNarrowedContract(): Promise<Json> {
  const file = resolve(import.meta.dirname, "../../../spec/openapi.yaml");
  // The platform sends the webhooks, so Specmatic must not test them. Their signature scheme is not needed either.
  const { webhooks: _, ...contract }: Contract = parse(await readFile(file, "utf8"));
  delete contract.components.securitySchemes.webhookSignature;
  deleteExamples(contract);
  const { OfferCreation, EmailAddress, AssignedWorkerIds } = contract.components.schemas;
  const { title, createdByUserId, workerIds } = OfferCreation?.properties ?? {};
  Object.assign(title ?? {}, { pattern: `${narrowPatterns.title}$` });
  Object.assign(createdByUserId ?? {}, { enum: ["user_hana"] });
  Object.assign(EmailAddress ?? {}, { pattern: `${narrowPatterns.emailAddress}$` });
  for (const list of [workerIds, AssignedWorkerIds])
    Object.assign(list ?? {}, { items: { type: "string", enum: ["worker_amal", "worker_ben"] } });
  return contract;
}

/** Deletes all examples in place. Specmatic would run a test per example, and require the same example names in request and response. */
function deleteExamples(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const name of ["example", "examples"]) Reflect.deleteProperty(value, name);
  for (const inner of Object.values(value)) deleteExamples(inner);
}

/** The placeholder in a path for the id of a new offer or delivery, which the test may change. */
export const freshId = "fresh";

interface Example {
  "http-request": Json;
  "http-response": Json;
}

/**
 * Creates the requests from which Specmatic derives its tests. They meet rules that a schema cannot express, such as a time in the future.
 */
export function createExamples(apiKey: string, cursor: string): Readonly<Record<string, Example>> {
  const createExample = (
    method: string,
    path: string,
    status: number,
    request: Json = {},
    response: Json = {},
  ): Example => ({
    "http-request": {
      method,
      path,
      ...request,
      headers: { "X-UE-Api-Subscription-Key": apiKey, ...(request.headers as Json) },
    },
    "http-response": { status, ...response },
  });
  const json = { "Content-Type": "application/json" };
  const query = { "api-version": "1.0" };
  const body = {
    createdByUserId: "user_hana",
    title: "Kitchen help",
    details: "Evening service",
    locationPlaceId: "place_harbour_kitchen",
    notifyEmailAddress: "hana@harbour-hotels.example",
    workerIds: ["worker_amal", "worker_ben"],
    events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  };
  const offer = { id: "offer_1", title: "", details: "", isHistoric: false, widthdrawn: false, complete: false };
  const fullOffer = { ...offer, locationPlaceId: "", createdAt: "2099-05-01T16:00:00Z", events: [], recipients: [] };
  const created = { headers: { Location: "/offer/offer_1", ...json }, body: { id: "offer_1" } };
  const page = { headers: json, body: { events: [], cursor, more: false } };
  return {
    create: createExample("POST", "/offer", 201, { query, headers: json, body }, created),
    read: createExample("GET", `/offer/${freshId}`, 200, { query }, { headers: json, body: fullOffer }),
    complete: createExample("POST", `/offer/${freshId}/complete`, 204, { query, headers: json, body: ["worker_amal"] }),
    withdraw: createExample("GET", `/offer/${freshId}/withdraw`, 200, { query }),
    events: createExample("GET", "/events", 200, { query: { ...query, after: cursor, limit: 5 } }, page),
    redeliver: createExample(
      "POST",
      `/events/${freshId}/redeliver`,
      202,
      { query },
      { headers: json, body: { id: "019adf3c-5f1e-7c41-9c0e-3a0f8d5b7e21" } },
    ),
  };
}
