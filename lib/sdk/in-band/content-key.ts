import { canonicalJson } from "../protocol/json.ts";

const STEP = 8192;

/** A message's content as one text, whatever the order of its keys. Its bytes are base64: as JSON, each would be a number. */
export const contentKey = (content: unknown): string => canonicalJson(withTextForBytes(content));

function withTextForBytes(item: unknown): unknown {
  if (item instanceof Uint8Array) return { bytes: base64Of(item) };
  if (Array.isArray(item)) return item.map(withTextForBytes);
  if (typeof item !== "object" || item === null || "toJSON" in item) return item;
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, withTextForBytes(value)]),
  );
}

function base64Of(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += STEP)
    binary += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(binary);
}
