import { offer } from "./candidate.ts";

/** Replaces the global fetch with one that responds immediately, so that only the client's own time is measured. */
export function stubFetch(): void {
  const headers = { "content-type": "application/json" };
  const offerBody = JSON.stringify(offer);
  const createdBody = JSON.stringify({ id: offer.id });
  globalThis.fetch = async (resource, init) => {
    const method = init?.method ?? (resource instanceof Request ? resource.method : "GET");
    return new Response(method === "POST" ? createdBody : offerBody, { status: 200, headers });
  };
}
