import "server-only";
import { LRUCache } from "lru-cache";
import type { Ports } from "@/lib/domain/ports.ts";
import { atMost } from "../pipeline/at-most.ts";

const NOTE_EVERY_MS = 60_000;
const MAX_KEYS = 10_000;

/** Notes when a key was last used, at most once a minute per key, and never in the way of the request. */
export function createKeyUse({ apiKeys, log }: Ports): (keyHash: string) => void {
  const noted = new LRUCache<string, true>({ ...atMost(MAX_KEYS), ttl: NOTE_EVERY_MS });
  return (keyHash) => {
    if (noted.has(keyHash)) return;
    noted.set(keyHash, true);
    apiKeys.markUsed(keyHash).catch((cause) => {
      log.warn({ cause: String(cause) }, "could not note the use of an API key");
    });
  };
}
