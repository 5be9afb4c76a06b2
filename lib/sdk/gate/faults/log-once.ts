import type { Logger } from "../logger.ts";

const logged = new WeakMap<Logger, Set<string>>();

/** Logs an error the first time that its key comes: callers repeat what a seller has to fix once. */
export function logOnce(
  logger: Logger,
  key: string,
  message: string,
  fields: Record<string, unknown>,
): void {
  const keys = logged.get(logger) ?? new Set();
  if (keys.has(key)) return;
  logged.set(logger, keys.add(key));
  logger.error(message, fields);
}
