import { invitationValidDays } from "../generated/decisions.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** Until when the link of an invitation is valid (D-122). */
export const invitationExpiry = (invitedAt: Date): Date => new Date(invitedAt.getTime() + invitationValidDays * dayMs);
