import { isSecretHeader } from "@/lib/playground/redact.ts";
import { presetDraft } from "../run/run-facts.ts";
import type { Preset } from "./preset.ts";
import { EMPTY_DRAFT, type RequestDraft } from "./request-draft.ts";

type Filled = Partial<RequestDraft>;

/** What the page opens with: the link's request, with the body of the preset for its URL, or else the first preset. */
export function openingDraft({ presets, filled }: { presets: Preset[]; filled: Filled }): Filled {
  const preset =
    filled.url === undefined ? presets[0] : presets.find(({ url }) => url === filled.url);
  return { ...presetDraft(preset), ...filled };
}

type KeptDraft = Omit<RequestDraft, "auth" | "token">;

/** What a visitor typed, to be there again once they have signed in. Secrets are left out. */
export function keptDraft({ auth: _, token: __, headers, ...draft }: RequestDraft): KeptDraft {
  const open = headers
    .split("\n")
    .filter((line) => !isSecretHeader(line.replace(/:.*/, "").trim()));
  return { ...draft, headers: open.join("\n") };
}

/** The kept text of a draft, if it is of the request that the page opens with. */
export function restoredDraft(text: string | null, { method, url }: Filled): Filled | null {
  const kept = readKept(text);
  if (kept === null || kept.method !== method || kept.url !== url) return null;
  const { auth: _, token: __, ...known } = EMPTY_DRAFT;
  const isKnown = ([name, value]: [string, unknown]) =>
    typeof value === typeof known[name as keyof typeof known];
  return Object.fromEntries(Object.entries(kept).filter(isKnown));
}

function readKept(text: string | null): Filled | null {
  try {
    const kept: unknown = JSON.parse(text ?? "null");
    return typeof kept === "object" ? kept : null;
  } catch {
    return null;
  }
}
