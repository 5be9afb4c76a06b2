import {
  type InputOf,
  KEY_PRESETS,
  type KeyPreset,
  type KeyRights,
} from "@turnpike/payments/protocol";
import { DAY_SECS } from "@/lib/text/durations.ts";
import type { OperationAction } from "../../forms/action-answer.ts";
import { type ApiKey, findPreset } from "./key-text.ts";

/** What is typed and chosen. */
export type KeyDraft = {
  name: string;
  preset: KeyPreset;
  scopes: KeyRights;
  durationSecs: number;
  /** `NO_KEY` when it replaces none. */
  replacesId: string;
  overlapSecs: number;
};

export type CreatedKey = { apiKey: string; keyId: string; expiresAt: string };
export type CreateApiKey = OperationAction<"createApiKey">;

export const NO_KEY = "none";
/** What the form opens with for a new key. */
export const EMPTY_DRAFT: KeyDraft = {
  name: "",
  preset: "gate",
  scopes: KEY_PRESETS.gate,
  durationSecs: 90 * DAY_SECS,
  replacesId: NO_KEY,
  overlapSecs: DAY_SECS,
};

/** A draft that replaces a key, with its name and rights. */
export const draftToRotate = ({ keyId, name, preset, scopes }: ApiKey): KeyDraft => ({
  ...EMPTY_DRAFT,
  name,
  preset: preset === "custom" ? "gate" : preset,
  scopes,
  replacesId: keyId,
});

/** The operation's input; scopes that are a preset's are sent as the preset. */
export function inputOf({
  name,
  scopes,
  durationSecs,
  replacesId,
  overlapSecs,
}: KeyDraft): InputOf<"createApiKey"> {
  const preset = findPreset(scopes);
  return {
    name,
    durationSecs,
    ...(preset ? { preset } : { scopes }),
    ...(replacesId !== NO_KEY && { replaces: { keyId: replacesId, overlapSecs } }),
  };
}
