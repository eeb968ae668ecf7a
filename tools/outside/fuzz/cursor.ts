import assert from "node:assert/strict";
import { listCursor } from "../../../examples/platform/src/http/list-cursor.ts";
import type { FuzzTarget } from "./target.ts";

const lists = [listCursor("events", /^/), listCursor("deliveries", /^$/), listCursor("offers", /^offer_\w+$/)];

/** Begins an input that is the JSON inside a cursor: mutation of base64 changes three bytes at once. */
const inside = "\x01";

/** Pagination cursors: one that is read is exactly the one that is written for what was read. */
export const cursor: FuzzTarget = {
  words: [inside, '["events",', '["deliveries",1,""]', '["offers",9007199254740991,"offer_a"]', "\\u0000", "e0", "-0"],
  fuzz(data) {
    const given = data.toString("latin1");
    const text = given.startsWith(inside) ? Buffer.from(given.slice(1), "latin1").toString("base64url") : given;
    let readers = 0;
    for (const list of lists) {
      const key = list.read(text);
      if (key === undefined) continue;
      readers += 1;
      assert.equal(list.write(key), text, "a cursor has one spelling");
      assert.ok(Number.isSafeInteger(key.position) && key.position >= 0 && !Object.is(key.position, -0));
      assert.ok(key.id.length <= 500 && !key.id.includes("\0"));
      assert.deepEqual(JSON.parse(Buffer.from(text, "base64url").toString()), [list.name, key.position, key.id]);
    }
    assert.ok(readers <= 1, "a cursor belongs to one list");
  },
};
