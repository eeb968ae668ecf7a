import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, type RequestListener, request } from "node:http";
import { text } from "node:stream/consumers";

/** Mutations of the traffic that make a platform look broken, to prove that the run finds them. */
export const trafficMutations = ["lose", "reorder", "repeat", "rename"] as const;
export type TrafficMutation = (typeof trafficMutations)[number];

interface Message {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** One request in so many is tampered with. */
const every = 4;

/** The listener of a proxy between platform and receiver that loses, reorders, repeats or renames requests. */
export function mutateTraffic(receiver: string, kinds: readonly TrafficMutation[]): RequestListener {
  const held = new Map<string, Message>();
  let count = 0;

  const pass = async (message: Message): Promise<number | undefined> => {
    const { method, url, headers, body } = message;
    const outgoing = request(receiver + url, { method, headers }).end(body);
    try {
      const [response] = (await once(outgoing, "response")) as [IncomingMessage];
      await text(response);
      return response.statusCode;
    } catch {
      return undefined;
    }
  };
  /** As a receiver that behaves would have taken it. */
  const passSurely = async (message: Message): Promise<void> => {
    while ((await pass(message)) !== 200);
  };

  const tamper = async (message: Message): Promise<number | undefined> => {
    const earlier = held.get(orderOf(message));
    if (earlier !== undefined) {
      held.delete(orderOf(message));
      await passSurely(message);
      await passSurely(earlier);
      return 200;
    }
    count += 1;
    const kind = count % every === 0 ? kinds[(count / every) % kinds.length] : undefined;
    switch (kind) {
      case "lose":
        return 200;
      case "reorder":
        if (!message.url.endsWith("/offer/response")) break;
        held.set(orderOf(message), message);
        return 200;
      case "repeat":
        await passSurely(message);
        break;
      case "rename":
        await passSurely({ ...message, headers: { ...message.headers, "offers-delivery-id": `other-${count}` } });
    }
    return pass(message);
  };

  return async (incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    response.on("error", () => undefined);
    const body = await text(incoming).catch(() => undefined);
    if (body === undefined) return;
    const message = { method, url, headers, body };
    const status = /^\/[^/]+\/test(\/auth)?$/.test(url) ? await pass(message) : await tamper(message);
    if (status === undefined) response.destroy();
    else response.writeHead(status).end();
  };
}

/** Two of the same worker about the same offer are alike in all but the response. */
function orderOf({ url, body }: Message): string {
  return url + body.replace(/"(accepted|rejected)"/, "");
}
