import { withSourcePlaces } from "./source-places.ts";

/** What drizzle's message ends with: the values of the statement, among them keys, tokens and texts of users. */
const VALUES = /\nparams: [\s\S]*$/;

/** A text without the values of a statement. */
export const withoutValues = (text: string): string => text.replace(VALUES, "");

export const messageOf = (cause: unknown): string =>
  withoutValues(cause instanceof Error ? cause.message : String(cause));

/**
 * An error in a line, with what caused it: the database's error, of which drizzle names the statement alone, and what a
 * connection failed of (`certificate has expired`), which fetch and the Stripe SDK leave to their cause. Texts of other
 * causes stay out: they may name an address with a key in it.
 */
export function describeCause(cause: unknown): string {
  const text = withoutValues(String(cause));
  const inner = causeOf(cause);
  if (inner === undefined) return text;
  const isTold =
    "params" in (cause as Error) || typeof (inner as { code?: unknown }).code === "string";
  if (isTold) return `${text}\ncause: ${describeCause(inner)}`;
  const [, ...deeper] = describeCause(inner).split("\ncause: ");
  return [text, ...deeper].join("\ncause: ");
}

/** The Stripe SDK keeps what it was thrown in `detail`. */
function causeOf(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause, detail } = error as Error & { detail?: unknown };
  return [cause, detail].find((one) => one instanceof Error);
}

/** An error with its stack and with what caused it. */
export function explainCause(cause: unknown): string {
  if (!(cause instanceof Error)) return withoutValues(String(cause));
  const { message, stack = String(cause) } = cause;
  // The stack begins with the message.
  const text = withSourcePlaces(stack.replace(message, () => withoutValues(message)));
  return cause.cause ? `${text}\ncause: ${explainCause(cause.cause)}` : text;
}
