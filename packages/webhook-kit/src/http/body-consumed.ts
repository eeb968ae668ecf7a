import { ConfigurationError } from "../errors.ts";

export const bodyConsumed = (): ConfigurationError =>
  new ConfigurationError(
    "body_already_consumed",
    "A body parser, such as express.json(), or something else in front of the webhook receiver has consumed the body. Mount the receiver before the parser, or in Express let it keep the bytes as request.rawBody.",
  );
