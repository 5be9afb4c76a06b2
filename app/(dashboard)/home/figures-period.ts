import { minutes, sinceText } from "@/components/activity/series-points.ts";
import { periodAt } from "@/lib/domain/figures/period.ts";

/** The period of the four figures of Home, whatever range its chart and its lost calls have. */
export const figuresPeriod = (now: Date) => periodAt("24h", now);

/** `Figures since 21 Nov 2026 14:00 UTC, as of 13:20 UTC.` */
export const figuresText = (now: Date): string =>
  `Figures ${sinceText(figuresPeriod(now).since.toISOString())}, as of ${minutes(now)} UTC.`;
