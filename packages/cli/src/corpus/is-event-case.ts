import { type CorpusCase, type CorpusRequest, stepsOf, type Text } from "./corpus.ts";

/** The paths of the endpoints that receive events. */
const eventPath = /contact\/+new|offer\/+response|offer\/+eventdeleted|events\/+timelinechanged/;

/**
 * Whether a request of this case names an endpoint for events, however it is spelled. An event creates work: a receiver that
 * accepts one that it should refuse creates it too. Only an unsigned request with nothing in its body cannot (D-101).
 */
export const isEventCase = (each: CorpusCase): boolean =>
  stepsOf(each).some(({ request }) => namesEventPath(request) && !isHarmless(request));

function namesEventPath({ target = "", raw = "", headers = [] }: CorpusRequest): boolean {
  const text = JSON.stringify([flat(target), flat(raw), headers]).toLowerCase();
  return [text, decode(text), decode(decode(text))].some((each) => eventPath.test(each.replaceAll("\\", "/")));
}

/** A POST with an empty object, which lacks every field of an event. */
const isHarmless = ({ method, body, headers = [], raw }: CorpusRequest): boolean =>
  raw === undefined &&
  method === "POST" &&
  body === "{}" &&
  headers.every((header) => Array.isArray(header) && header[0].toLowerCase() === "content-type");

const flat = (text: Text): string =>
  typeof text === "string" ? text : text.map((part) => (typeof part === "string" ? part : part.repeat)).join("");

const decode = (text: string): string =>
  text.replaceAll(/%([0-7][0-9a-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
