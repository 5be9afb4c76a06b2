import "server-only";
import { LRUCache } from "lru-cache";
import type { Ports } from "@/lib/domain/ports.ts";
import type { InspectedToken } from "@/lib/domain/tokens/inspect-token.ts";

/**
 * In characters. What is read from a text takes up to 15 times its length, and anyone can sign one: this is some 9,000
 * usual tokens, and at most 240 MiB.
 */
const MAX_SIZE = 16 * 1024 * 1024;
const MAX_TEXT = 4_096;

/**
 * Checks the text of a token once, and keeps what was found. Long texts are checked each time.
 *
 * @example const inspectToken = createCheckedTokens((token) => inspectToken(token, inspection))
 */
export function createCheckedTokens(
  inspect: Ports["inspectToken"],
  maxSize = MAX_SIZE,
): Ports["inspectToken"] {
  const checked = new LRUCache<string, InspectedToken>({
    maxSize,
    maxEntrySize: MAX_TEXT,
    sizeCalculation: (_, text) => text.length,
  });
  return (token) => {
    if (typeof token !== "string") return inspect(token);
    const known = checked.get(token);
    if (known) return known;
    const inspected = inspect(token);
    // Only sound tokens are kept: a flood of garbage must not push them out.
    if (inspected.isSound) checked.set(token, inspected);
    return inspected;
  };
}
