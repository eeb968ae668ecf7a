import * as http from "node:http";
import { apiKeyHeader, apiVersion } from "@offers/contract/decisions";
import { UsageError } from "../terminal/output.ts";
import { findEvent } from "../trigger/events.ts";
import { fillEvent, type Webhook } from "../trigger/write-webhook.ts";
import { describeConnectionError, type ReceiverUrl, reasonOf } from "../wire/receiver-url.ts";

/** An event in the reference platform's feed (D-133). */
export interface FeedEvent {
  id: string;
  type: string;
  data: Readonly<Record<string, unknown>>;
  createdAt: string;
}

export interface FeedPage {
  events: FeedEvent[];
  cursor: string;
  more: boolean;
}

/** Reads the page after a cursor, or the first page without a cursor. */
export type ReadPage = (after: string | undefined) => Promise<FeedPage>;

/**
 * Creates a function that reads one page of the feed. It rejects with a {@link UsageError} if the platform cannot be reached, or the
 * response is not a page.
 */
export function createFeedReader(platform: ReceiverUrl, apiKey: string, timeoutMs: number): ReadPage {
  useProxyFromEnvironment();
  return async (after) => {
    const query = new URLSearchParams({
      ...(after !== undefined && { after }),
      limit: "100",
      "api-version": apiVersion,
    });
    let response: Response;
    let body: string;
    try {
      response = await fetch(`${platform.href}/events?${query}`, {
        headers: { accept: "application/json", [apiKeyHeader]: apiKey },
        // fetch would send the API key to the target of a redirect.
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
      });
      body = await response.text();
    } catch (error) {
      throw new UsageError(describeConnectionError(platform, reasonOf(error)));
    }
    const page = parsePage(body);
    if (response.status === 200 && page) return page;
    throw new UsageError(`${platform.href}/events responded with ${response.status}. ${findRemedy(response.status)}`);
  };
}

/**
 * Makes `fetch` use HTTPS_PROXY, HTTP_PROXY and NO_PROXY (D-157). Webhooks still go directly to the receiver.
 *
 * @throws {UsageError} if one of them is not a URL
 */
function useProxyFromEnvironment(): void {
  const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy, NODE_USE_ENV_PROXY } = process.env;
  if (![HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy].some(Boolean)) return;
  // Node 24.14 or newer.
  if (typeof http.setGlobalProxyFromEnv !== "function") {
    if (!NODE_USE_ENV_PROXY) console.error("This version of Node ignores HTTPS_PROXY. Use Node 24.14 or newer.");
    return;
  }
  try {
    http.setGlobalProxyFromEnv();
  } catch (cause) {
    throw new UsageError("HTTPS_PROXY or HTTP_PROXY is not a valid URL, such as http://proxy.example:3128.", { cause });
  }
}

/** Parses a response body. @returns undefined if it is not a page of the feed */
function parsePage(body: string): FeedPage | undefined {
  try {
    const page = JSON.parse(body);
    return Array.isArray(page.events) && typeof page.cursor === "string" ? page : undefined;
  } catch {
    return undefined;
  }
}

function findRemedy(status: number): string {
  if (status === 400) return "Is --after a cursor that this command has printed for the same organisation?";
  if (status === 401 || status === 403) return "Check the API key.";
  return "Is this the base URL of a platform that has a feed?";
}

/** The webhook name for each event type in the feed that is sent as a webhook. */
const webhookNames: Readonly<Record<string, string>> = {
  WorkerOfferResponse: "worker-offer-response",
  WorkerAddedContact: "worker-added-contact",
};

/** Builds the webhook for an event. @returns undefined if events of this type are not sent as webhooks */
export function toWebhook({ id, type, data }: FeedEvent): Webhook | undefined {
  const name = webhookNames[type];
  return name === undefined ? undefined : fillEvent(findEvent(name), data, id);
}
