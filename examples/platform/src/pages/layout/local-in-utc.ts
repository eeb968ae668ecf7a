/** Browsers send `2099-05-01T16:00`; the label says that it is UTC. What else was typed stays as it is. */
export function localInUtc(local: string): string {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)) return `${local}:00Z`;
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/.test(local) ? `${local}Z` : local;
}
