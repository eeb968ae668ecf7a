/**
 * A setting of each session: PostgreSQL's manual advises it where most pages are in memory. With the default, a claim scanned the
 * whole table of a hundred endpoints once for each lane, and a delivery cost PGlite a seventh more CPU.
 */
export const pageCost = "random_page_cost = 1.1";
