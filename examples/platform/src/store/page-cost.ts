/**
 * A setting of each session, which PostgreSQL's manual advises where most pages are in memory. A claim read all of a hundred
 * endpoints for each that it met; PGlite's deliveries cost a seventh more CPU.
 */
export const pageCost = "random_page_cost = 1.1";
