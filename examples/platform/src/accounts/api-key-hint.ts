/** Begins the keys that the portal creates. Programs that search for leaked secrets recognise keys by it. */
export const apiKeyPrefix = "ok_";

/**
 * What people recognise a key by, such as `ok_Ab3d…x9Qz`: its first characters, if it begins with the prefix, and its last four. At
 * least two thirds of a key stay hidden, since keys of a seed file may be short.
 */
export function apiKeyHint(key: string): string {
  const first = key.startsWith(apiKeyPrefix) && key.length >= 33 ? key.slice(0, apiKeyPrefix.length + 4) : "";
  return key.length >= 12 ? `${first}…${key.slice(-4)}` : "";
}
