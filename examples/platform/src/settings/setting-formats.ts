import { z } from "zod";
import { defaultRetrySchedule, type RetrySchedule } from "../dispatch/webhooks/retry-schedule.ts";

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

export const origin = z.string().refine((text) => /^https?:/.test(text) && URL.parse(text)?.origin === text);

/** Names its database: without one, PostgreSQL would take the user's name for it. */
export const postgresUrl = z
  .string()
  .refine((text) => /^postgres(?:ql)?:\/\//.test(text) && /^\/./.test(URL.parse(text)?.pathname ?? ""));

export const smtpUrl = z.string().refine((text) => /^smtps?:\/\/[^/]/.test(text) && URL.canParse(text));

const address = /^(?:\[?([\w.:-]+?)\]?:)?(\d+)$/;

/** `9464`, `0.0.0.0:9464`, `[::1]:9464` */
export const metricsAddress = z
  .string()
  .regex(address)
  .transform((text) => {
    const [, host = "127.0.0.1", port] = address.exec(text) ?? [];
    return { host, port: Number(port) };
  })
  .pipe(z.object({ host: z.string(), port: z.int().max(65_535) }));

/** `localhost`, `sandbox,offers.internal` */
export const hostNames = z
  .string()
  .regex(/^[a-z\d_.-]+(?:,[a-z\d_.-]+)*$/i)
  .transform((text) => text.toLowerCase().split(","));

const unitsMs: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `600/m` is 600 in each window of a minute. */
export const rateLimit = z.union([
  z.literal("off").transform(() => undefined),
  z
    .string()
    .regex(/^[1-9]\d{0,8}\/[smh]$/)
    .transform((text) => {
      const [count, unit = ""] = text.split("/");
      return { count: Number(count), seconds: (unitsMs[unit] ?? 0) / 1_000 };
    }),
]);

/** Seven attempts within half a minute, so that a receiver under development soon gets its retries. */
const developmentSchedule: RetrySchedule = {
  delaysMs: [500, 1_000, 2_000, 4_000, 8_000, 12_000],
  jitter: 0.2,
  maxRetryAfterMs: 60_000,
};

const pauseMs = z
  .string()
  .trim()
  .regex(/^\d{1,6}(?:ms|s|m|h)$/)
  .transform((text) => Number.parseInt(text, 10) * (unitsMs[text.replace(/^\d+/, "")] ?? 0))
  .pipe(z.number().positive());

/** Named, or a list of pauses. */
export const retrySchedule = z.union([
  z.literal("default").transform(() => defaultRetrySchedule),
  z.literal("development").transform(() => developmentSchedule),
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(pauseMs))
    .transform((delaysMs): RetrySchedule => ({ ...defaultRetrySchedule, delaysMs })),
]);
