import { webhookHandler } from "@offers/webhook-kit/fetch";

export const storySecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** The path prefix of the base URL. */
export const storyPrefix = "/some/prefix";

export const storySuggestion = {
  name: "Dana Kim",
  emailAddress: "dana.kim@example.com",
  ratings: [{ rating: 5, ratingProvider: "Harbour Kitchen", lastWorked: "2025-11-30T17:00:00Z" }],
};

/** The response in each mode. If it is undefined, the receiver sends the kit's response. */
const responses = {
  acknowledges: undefined,
  fails: { status: 500 },
  "asks for an hour": { status: 503, headers: { "retry-after": "3600" } },
  "sends no content": { status: 204 },
  refuses: { status: 404 },
  "is gone": { status: 410 },
  "hangs up": "hang up",
  "refuses one worker": undefined,
} as const satisfies Record<string, ResponseInit | "hang up" | undefined>;

export type ResponseMode = keyof typeof responses;

export const responseModes = Object.keys(responses) as ResponseMode[];

export interface RecordedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** When the request arrived according to the service's clock, in Unix milliseconds. */
  at: number;
}

/** Verifies each request with the kit, records it, and responds in the mode that the story has set. */
export class StoryReceiver {
  mode: ResponseMode = "acknowledges";
  readonly requests: RecordedRequest[] = [];
  readonly #now: () => Date;
  readonly #webhooks: (request: Request) => Promise<Response>;

  constructor(now: () => Date) {
    this.#now = now;
    this.#webhooks = webhookHandler({
      basePath: storyPrefix,
      secret: storySecret,
      now,
      onWorkerOfferResponse: () => undefined,
      onWorkerAddedContact: () => undefined,
      suggestContacts: ({ filter }) => (filter === "cook" ? [storySuggestion] : []),
    });
  }

  /** Handles a webhook. Throws if the connection is to be closed without a response. */
  readonly handle = async (request: Request): Promise<Response> => {
    const { method } = request;
    const path = new URL(request.url).pathname;
    const headers = Object.fromEntries(request.headers);
    const body = await request.clone().text();
    const recorded = { method, path, headers, body, at: this.#now().getTime() };
    this.requests.push(recorded);
    const kitResponse = await this.#webhooks(request);
    // Only the platform also sends a forged request when an endpoint is registered (D-69).
    const isForgedCheck = kitResponse.status === 401 && path.endsWith("/test/auth");
    if (isForgedCheck) this.requests.splice(this.requests.indexOf(recorded), 1);
    const response = responses[this.mode];
    if (kitResponse.status !== 200) return kitResponse;
    if (response === "hang up") throw new Error("the receiver hangs up");
    if (this.mode === "refuses one worker" && `${path}${body}`.includes("worker_amal"))
      return new Response(null, { status: 422 });
    return response === undefined ? kitResponse : new Response(null, response);
  };
}
