import { canParseUrl } from "@turnpike/payments/protocol";

/** Single-quotes text for any POSIX shell. */
export const shellText = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * An endpoint's address for a shell. An agent that is registered with paths alone has none that is known here: the first
 * line sets it, for the reader to change.
 */
export function shellAddress(
  url: string,
  example: string,
): { lines: readonly string[]; address: string } {
  if (canParseUrl(url)) return { lines: [], address: shellText(url) };
  const lines = [
    "# Where the agent runs. Replace it with the agent's address.",
    `AGENT_URL=${example}`,
  ];
  return { lines: [...lines, ""], address: `"$AGENT_URL"${shellText(url)}` };
}
