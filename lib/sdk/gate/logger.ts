/** Where the gate tells its operator what a caller must not hear. No field ever holds a token or a key. */
export type Logger = {
  error(message: string, fields: Record<string, unknown>): void;
};

/** Logs to the console. */
export const consoleLogger: Logger = {
  error: (message, fields) => console.error(`[turnpike] ${message}`, fields),
};
