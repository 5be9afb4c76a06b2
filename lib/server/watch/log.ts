import pino from "pino";
import type { Log } from "@/lib/domain/ports.ts";
import { explainCause, withoutValues } from "./error-text.ts";

/**
 * The service's log: one JSON line per event, on standard error by default. Secrets are never among the fields, nor are
 * the values of a statement that failed.
 */
export function createLog(
  level: string,
  destination: pino.DestinationStream = pino.destination({ dest: 2, sync: false }),
): Log {
  return pino(
    {
      level,
      base: undefined,
      formatters: { log: withoutValuesOf },
      redact: {
        paths: [
          "apiKey",
          "accessToken",
          "x402AccessToken",
          "authorization",
          "privateKey",
          "secret",
        ],
        censor: "[redacted]",
      },
    },
    destination,
  );
}

/** Errors as text: their own fields hold the values as well. */
const withoutValuesOf = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (field instanceof Error) return [name, explainCause(field)];
      return [name, typeof field === "string" ? withoutValues(field) : field];
    }),
  );
