import assert from "node:assert/strict";
import { toUtc } from "../../../packages/client/src/call/to-utc.ts";
import { isOffersError } from "../../../packages/client/src/errors/error-classes.ts";
import { inPlainForm, inUtc, readDateTime } from "../../../packages/contract/src/date-time.ts";
import type { FuzzTarget } from "./target.ts";

/** Date-times: those that a service sends, and those that a caller gives to the client. */
export const dateTime: FuzzTarget = {
  words: [
    "2099-05-01T16:00:00Z",
    "2018-11-26T10:55Z",
    "+23:59",
    "-00:00",
    ".999999999",
    "2024-02-29",
    "9999-12-31",
    "0000",
  ],
  fuzz(data) {
    const text = data.toString("latin1");
    const read = readDateTime(text);
    const expected = secondReading(text);
    assert.equal(read === undefined, expected === undefined, "readDateTime and Date agree on what is a date-time");
    for (const normalise of [inUtc, inPlainForm]) {
      const normal = normalise(text);
      assert.equal(normal === undefined, read === undefined, `${normalise.name} knows what readDateTime knows`);
      if (normal === undefined || read === undefined || expected === undefined) continue;
      assert.ok(Math.abs(read.earliest - expected) <= 1, "the instant is that of Date, to the millisecond");
      assert.equal(normalise(normal), normal, `${normalise.name} changes nothing twice`);
      assert.equal(secondReading(normal), expected, `${normalise.name} keeps the instant`);
      if (normalise === inUtc) assert.match(normal, /(?:Z|\+00:00)$/);
    }
    checkClient(text, read !== undefined && expected !== undefined ? expected : undefined);
  },
};

/** The client sends an instant in UTC that every reader takes, and the same one; or refuses the time. */
function checkClient(text: string, expected: number | undefined): void {
  let sent: string;
  try {
    sent = toUtc(text, "start", 0);
  } catch (error) {
    assert.ok(isOffersError(error) && error.code === "invalid_time", "toUtc throws invalid_time alone");
    assert.equal(expected, undefined, "toUtc takes every date-time");
    return;
  }
  assert.match(sent, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/);
  assert.equal(secondReading(sent), expected, "toUtc keeps the instant");
}

/** ISO 8601 with a zone as ECMAScript's Date reads it (ECMA-262, 21.4.1.32), less what D-96 refuses. Whole milliseconds. */
function secondReading(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-(\d\d))[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!form) return undefined;
  const [
    ,
    date = "",
    day,
    hour = "",
    minute = "",
    second = "00",
    fraction = "",
    sign = "+",
    hours = "00",
    minutes = "00",
  ] = form;
  if (hour > "23" || hours > "23" || minutes > "59") return undefined;
  const local = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
  // Date makes 2 March of 30 February.
  if (Number.isNaN(local) || new Date(Date.parse(`${date}T00:00Z`)).getUTCDate() !== Number(day)) return undefined;
  const instant = local - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  const year = new Date(instant).getUTCFullYear();
  return year >= 0 && year <= 9999 ? instant : undefined;
}
