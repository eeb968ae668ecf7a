import { expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import { targets } from "./targets.ts";

// Found by `npm run check -- outside fuzz`: each input reaches code that no other does, or has failed once.
test.each(Object.entries(targets))("%s holds for every input of its corpus", async (name, { fuzz }) => {
  const inputs = await readCorpus(name);
  expect(inputs).not.toHaveLength(0);
  for (const input of inputs) await fuzz(input);
});
