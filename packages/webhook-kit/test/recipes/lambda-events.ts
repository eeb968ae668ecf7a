import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from "aws-lambda";

/** A request that a gateway received. */
export interface GatewayRequest {
  method: string;
  path: string;
  /** The headers as sent: name, value, name, value. */
  rawHeaders: string[];
  body: Buffer;
  /** Whether the gateway treats the body as binary. */
  isBinary: boolean;
}

/** Creates an HTTP API event, following the sample in the AWS documentation of payload format 2.0. */
export function createHttpApiEvent({ method, path, rawHeaders, ...payload }: GatewayRequest): APIGatewayProxyEventV2 {
  const http = { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "agent" };
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: "",
    // An HTTP API lowercases names, and joins the values of a repeated header with commas.
    headers: mapValues(groupHeaders(rawHeaders, true), (values) => values.join(",")),
    requestContext: {
      accountId: "123456789012",
      apiId: "api-id",
      domainName: "id.execute-api.us-east-1.amazonaws.com",
      domainPrefix: "id",
      http,
      requestId: "id",
      routeKey: "$default",
      stage: "$default",
      time: "12/Mar/2020:19:03:58 +0000",
      timeEpoch: 1583348638390,
    },
    ...createBodyFields(payload),
  };
}

/** Creates a REST API event, following the sample in the AWS documentation of payload format 1.0. */
export function createRestApiEvent({ method, path, rawHeaders, ...payload }: GatewayRequest): APIGatewayProxyEvent {
  const valuesByName = groupHeaders(rawHeaders, false);
  return {
    resource: "/{proxy+}",
    path,
    httpMethod: method,
    // A REST API keeps names as sent, each with its last value.
    headers: mapValues(valuesByName, (values) => values.at(-1)),
    multiValueHeaders: valuesByName,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: { proxy: path.slice(1) },
    stageVariables: null,
    requestContext: {
      accountId: "123456789012",
      apiId: "id",
      authorizer: null,
      domainName: "id.execute-api.us-east-1.amazonaws.com",
      domainPrefix: "id",
      extendedRequestId: "request-id",
      httpMethod: method,
      identity: {
        accessKey: null,
        accountId: null,
        apiKey: null,
        apiKeyId: null,
        caller: null,
        clientCert: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp: "192.0.2.1",
        user: null,
        userAgent: "user-agent",
        userArn: null,
      },
      path: `/prod${path}`,
      protocol: "HTTP/1.1",
      requestId: "id=",
      requestTime: "04/Mar/2020:19:15:17 +0000",
      requestTimeEpoch: 1583349317135,
      resourceId: "abc123",
      resourcePath: "/{proxy+}",
      stage: "prod",
    },
    body: null,
    ...createBodyFields(payload),
  };
}

/** Creates a load balancer event, following the sample in the AWS documentation of Lambda targets. */
export function createLoadBalancerEvent(request: GatewayRequest, hasMultiValueHeaders: boolean): ALBEvent {
  const { method, path, rawHeaders } = request;
  const valuesByName = groupHeaders(rawHeaders, true);
  const targetGroupArn =
    "arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/my-target-group/6d0ecf831eec9f09";
  return {
    requestContext: { elb: { targetGroupArn } },
    httpMethod: method,
    path,
    ...(hasMultiValueHeaders
      ? { multiValueQueryStringParameters: {}, multiValueHeaders: valuesByName }
      : { queryStringParameters: {}, headers: mapValues(valuesByName, (values) => values.at(-1)) }),
    body: "",
    ...createBodyFields(request),
  };
}

/** The result that a function returns to its gateway. */
interface FunctionResult {
  statusCode: number;
  headers?: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Creates a listener that invokes a function as an HTTP API does. It responds with 413 to a Content-Length above 6 MiB. */
export function createHttpApi(invoke: (event: APIGatewayProxyEventV2) => Promise<FunctionResult>): RequestListener {
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url: path = "", rawHeaders } = request;
    if (Number(request.headers["content-length"] ?? 0) > 6 * 1024 * 1024) return void response.writeHead(413).end();
    const event = createHttpApiEvent({ method, path, rawHeaders, isBinary: true, body: await buffer(request) });
    const { statusCode, headers, body = "", isBase64Encoded } = await invoke(event);
    response.writeHead(statusCode, headers).end(Buffer.from(body, isBase64Encoded ? "base64" : "utf8"));
  };
  return (request, response) => void receive(request, response).catch(() => response.destroy());
}

/** Encodes the body as a gateway does, and leaves out an empty body. */
const createBodyFields = ({
  body,
  isBinary,
}: Pick<GatewayRequest, "body" | "isBinary">): { body?: string; isBase64Encoded: boolean } =>
  body.length > 0
    ? { body: body.toString(isBinary ? "base64" : "utf8"), isBase64Encoded: isBinary }
    : { isBase64Encoded: false };

/** Groups header values by name. In `rawHeaders`, each name is followed by its value. */
function groupHeaders(rawHeaders: readonly string[], shouldLowercase: boolean): Record<string, string[]> {
  const valuesByName: Record<string, string[]> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const key = shouldLowercase ? name.toLowerCase() : name;
    valuesByName[key] = [...(valuesByName[key] ?? []), rawHeaders[index + 1] ?? ""];
  }
  return valuesByName;
}

const mapValues = <T>(valuesByName: Record<string, string[]>, map: (values: string[]) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(valuesByName).map(([name, values]) => [name, map(values)]));
