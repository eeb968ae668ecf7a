import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { readDateTime } from "@offers/contract/date-time";
import { contactSuggestionSchema, emailAddressSchema, utcDateTimeSchema } from "@offers/contract/schemas";
import type { SuiteReport } from "./suite.ts";

/** One text of the suite, and whether the format of JSON Schema allows it. */
interface Case {
  format: string;
  text: string;
  valid: boolean;
}

/** Why our check differs from the suite's format on purpose. */
interface Rule {
  reason: string;
  /** What our check says of the texts that the rule explains. */
  accepts: boolean;
  applies(text: string): boolean;
}

/** A check of ours, and the formats of the suite that it stands for. */
interface Check {
  name: string;
  formats: readonly string[];
  accepts(text: string): boolean;
  rules: readonly Rule[];
}

const dateTimeRules: readonly Rule[] = [
  {
    reason: "D-96: a leap second has no meaning that POSIX readers share",
    accepts: false,
    applies: (text) => /:60(\.\d+)?(z|[+-]\d\d:\d\d)$/i.test(text),
  },
];

const emailRules: readonly Rule[] = [
  {
    reason: "D-31: only sending mail proves an address; RFC 5321's grammar of names and domains is not checked",
    accepts: true,
    applies: (text) => text.split("@").length === 2,
  },
  {
    reason: "D-31: a quoted name (RFC 5321, section 4.1.2) with white space or a second @ is refused",
    accepts: false,
    applies: (text) => /^".*[\s@].*"@/.test(text),
  },
];

const imageAddress = contactSuggestionSchema.out.shape.profileImageUrl;

const addressRules: readonly Rule[] = [
  {
    reason: "openapi.yaml: an image's address begins with http:// or https://",
    accepts: false,
    applies: (text) => !/^https?:\/\//i.test(text),
  },
];

const checks: readonly Check[] = [
  {
    name: "readDateTime",
    formats: ["date-time"],
    accepts: (text) => readDateTime(text) !== undefined,
    rules: dateTimeRules,
  },
  {
    name: "utcDateTimeSchema",
    formats: ["date-time"],
    accepts: (text) => utcDateTimeSchema.safeParse(text).success,
    rules: dateTimeRules,
  },
  {
    name: "emailAddressSchema",
    formats: ["email", "idn-email"],
    accepts: (text) => emailAddressSchema.safeParse(text).success,
    rules: emailRules,
  },
  {
    name: "profileImageUrl",
    formats: ["uri"],
    accepts: (text) => imageAddress.safeParse(text).success,
    rules: addressRules,
  },
];

/** Compares our checks with the texts that the JSON Schema Test Suite lists for a format. */
export async function formats(): Promise<SuiteReport> {
  const cases = await readSuite();
  const found: string[] = [];
  let compared = 0;
  const explained = new Map<Rule, number>();
  for (const { name, formats, accepts, rules } of checks) {
    const texts = cases.filter(({ format }) => formats.includes(format));
    if (texts.length === 0) found.push(`${name}: the suite has no case of ${formats.join(", ")}`);
    compared += texts.length;
    for (const { format, text, valid } of texts) {
      const accepted = accepts(text);
      if (accepted === valid) continue;
      const rule = rules.find((each) => each.accepts === accepted && each.applies(text));
      if (rule) explained.set(rule, (explained.get(rule) ?? 0) + 1);
      else found.push(`${name} ${accepted ? "accepts" : "refuses"} ${JSON.stringify(text)}, against ${format}`);
    }
  }
  for (const [{ reason }, count] of explained) console.log(`  ${count} differ on purpose: ${reason}`);
  return { suite: "JSON Schema Test Suite", tried: `${compared} comparisons`, found };
}

/** Debian's newest copy: its package `json-schema-test-suite` ends with draft 7, and that of npm with draft 4. */
const suiteFolder =
  process.env.JSON_SCHEMA_TEST_SUITE ?? "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance/tests";

/** Each text once for a format: the drafts of JSON Schema repeat each other's. */
async function readSuite(): Promise<readonly Case[]> {
  const files = await readdir(suiteFolder, { recursive: true }).catch((cause) => {
    throw new Error("This needs the JSON Schema Test Suite: apt-get install libtest-json-schema-acceptance-perl", {
      cause,
    });
  });
  const cases = new Map<string, Case>();
  for (const file of files) {
    if (!/\/optional\/format\/[\w-]+\.json$/.test(file)) continue;
    for (const group of JSON.parse(await readFile(join(suiteFolder, file), "utf8")))
      for (const { data, valid } of group.tests)
        if (typeof data === "string") {
          const { format } = group.schema;
          cases.set(JSON.stringify([format, data]), { format, text: data, valid });
        }
  }
  return [...cases.values()];
}
