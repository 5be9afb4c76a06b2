import pino from "pino";
import type { Log } from "@/lib/domain/ports.ts";

/** The service's log: one JSON line per event on standard error, secrets never among the fields. */
export function createLog(level: string): Log {
  return pino(
    {
      level,
      base: undefined,
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
    pino.destination({ dest: 2, sync: false }),
  );
}
