import type { Logger } from "../logger.ts";

const logged = new WeakMap<object, Set<string>>();

/**
 * Logs an error the first time that its key comes from its source: callers repeat what a seller has to fix once. A logger may
 * be that of many gates.
 */
export function logOnce(
  logger: Logger,
  key: string,
  message: string,
  fields: Record<string, unknown>,
  source: object = logger,
): void {
  const keys = logged.get(source) ?? new Set();
  if (keys.has(key)) return;
  logged.set(source, keys.add(key));
  logger.error(message, fields);
}
