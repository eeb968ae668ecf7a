import { webhookHandler } from "@offers/webhook-kit/fetch";
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";

const webhooks = webhookHandler({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

type Event = APIGatewayProxyEventV2 | APIGatewayProxyEvent | ALBEvent;

export async function handler(event: Event) {
  const response = await webhooks(toRequest(event));
  const headers = [...response.headers];
  return {
    statusCode: response.status,
    body: await response.text(),
    isBase64Encoded: false,
    ...(hasLists(event)
      ? { multiValueHeaders: Object.fromEntries(headers.map(([name, value]) => [name, [value]])) }
      : { headers: Object.fromEntries(headers) }),
  };
}

function toRequest(event: Event): Request {
  const url = new URL("https://lambda.invalid");
  url.pathname = "rawPath" in event ? event.rawPath : event.path;
  const headers = new Headers();
  // A header that was sent twice shows in the lists only.
  for (const [name, values] of Object.entries((hasLists(event) ? event.multiValueHeaders : event.headers) ?? {}))
    for (const value of [values ?? []].flat()) headers.append(name, value);
  return new Request(url, {
    method: "rawPath" in event ? event.requestContext.http.method : event.httpMethod,
    headers,
    body: event.body ? Buffer.from(event.body, event.isBase64Encoded ? "base64" : "utf8") : null,
  });
}

const hasLists = (event: Event): event is APIGatewayProxyEvent =>
  "multiValueHeaders" in event && Boolean(event.multiValueHeaders);
