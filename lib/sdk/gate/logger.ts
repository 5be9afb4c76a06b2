/** Receives what the operator should know and callers must not. No field ever contains a token or a key. */
export type Logger = {
  error(message: string, fields: Record<string, unknown>): void;
};

/** Logs to the console. */
export const consoleLogger: Logger = {
  error: (message, fields) => console.error(`[turnpike] ${message}`, fields),
};

/** Logs what work throws, where no framework does. */
export const logFailures =
  (logger: Logger = consoleLogger) =>
  (error: unknown): void =>
    logger.error("The work failed.", { reason: String(error) });
