/** Adds the zone to `2099-05-01T16:00` of a `datetime-local` input, which is labelled as UTC. Other text is unchanged. */
export function localInUtc(local: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return `${local}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(local) ? `${local}Z` : local;
}
