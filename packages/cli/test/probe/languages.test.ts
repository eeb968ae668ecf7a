import { describe, test } from "vitest";
import { isInstalled, type Language } from "../support/start-receiver.ts";
import { describeDefects } from "./defects-suite.ts";

const languages: readonly Language[] = ["node", "python", "php", "perl", "ruby", "java"];

for (const language of languages)
  if (isInstalled(language)) describeDefects(language);
  else
    describe(`a receiver in ${language}`, () => {
      test.todo(`is not tested: this machine has no ${language}`);
    });
