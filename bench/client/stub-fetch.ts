import { offer } from "./candidate.ts";

/** Responds immediately, so that only the client's own time is left. */
export function stubFetch(): void {
  const headers = { "content-type": "application/json" };
  const [found, created] = [JSON.stringify(offer), JSON.stringify({ id: offer.id })];
  globalThis.fetch = async (given, init) => {
    const method = init?.method ?? (given instanceof Request ? given.method : "GET");
    return new Response(method === "POST" ? created : found, { status: 200, headers });
  };
}
