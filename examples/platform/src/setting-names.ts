import { SettingError } from "./setting-error.ts";

/** All that the platform reads; README.md has the table. */
const settingNames = [
  ...[
    "PORT",
    "HOST",
    "DATABASE_URL",
    "SMTP_URL",
    "OFFERS_PUBLIC_ORIGIN",
    "OFFERS_DATA",
    "OFFERS_SEED",
    "OFFERS_ENCRYPTION_KEY",
  ],
  ...[
    "OFFERS_DIALECT",
    "OFFERS_ALLOW_LOOPBACK",
    "OFFERS_SHOW_ALL_MAIL",
    "OFFERS_RETRY_SCHEDULE",
    "OFFERS_BODY_LIMIT_BYTES",
  ],
  ...["OFFERS_RATE_LIMIT", "OFFERS_PERSON_RATE_LIMIT", "OFFERS_TRUSTED_PROXIES", "OFFERS_METRICS", "OFFERS_LOG_LEVEL"],
  ...["OFFERS_RETENTION_DAYS", "OFFERS_CONTENT_RETENTION_DAYS", "OFFERS_MAIL_FROM", "OFFERS_FCM_CREDENTIALS"],
];

/** What other programs of this repository, and the samples of its packages, read: they may run in one environment. */
const namesOfOthers = [
  ...["OFFERS_BOOTSTRAPPED", "OFFERS_BASE_URL", "OFFERS_API_KEY", "OFFERS_USER_ID", "OFFERS_WEBHOOK_SECRET"],
];

/**
 * Refuses a variable that looks like a setting and is none: it is misspelt, and what it was to set would not be set (D-90).
 *
 * @throws {SettingError} which names the nearest setting, and no value
 */
export function checkSettingNames(environment: Record<string, string | undefined>): void {
  for (const name of Object.keys(environment)) {
    if (!/^OFFERS_/i.test(name) || settingNames.includes(name) || namesOfOthers.includes(name)) continue;
    throw new SettingError(`${name} is no setting of the platform; ${remedyFor(name)}`);
  }
}

function remedyFor(name: string): string {
  const written = name.toUpperCase();
  const byDistance = settingNames.map((one) => ({ one, distance: distanceOf(written, one) }));
  const nearest = byDistance.sort((a, b) => a.distance - b.distance)[0];
  // Further off it would be a guess.
  if (nearest === undefined || nearest.distance > Math.max(3, written.length / 3))
    return "remove it; the README of the platform lists all settings";
  return `did you mean ${nearest.one}? Correct its name, or remove it`;
}

/** How many characters must be inserted, deleted or replaced to make one of the other (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let index = 1; index <= other.length; index += 1) {
      const replaced = (row[index - 1] ?? 0) + (one[at - 1] === other[index - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
