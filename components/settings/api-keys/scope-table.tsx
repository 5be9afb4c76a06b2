import { KEY_LEVELS, KEY_SCOPES, type KeyRights } from "@turnpike/payments/protocol";
import { useId } from "react";
import { LiveInput } from "../../ui/fields/live-input.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import { SCOPES } from "./key-text.ts";

const LEVEL_TEXT = { none: "None", read: "Read", write: "Write" } as const;

type ScopeTableProps = {
  scopes: KeyRights;
  onScopesChange: (scopes: KeyRights) => void;
  /** The preset that the scopes began as: "Gate, changed". */
  tag: string;
  isSandbox: boolean;
};

export function ScopeTable({ scopes, onScopesChange, tag, isSandbox }: ScopeTableProps) {
  const id = useId();
  const shown = KEY_SCOPES.filter((scope) => scope !== "sandbox" || isSandbox);
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <table className="w-full text-note">
        <caption className="sr-only">Scopes</caption>
        <thead>
          <tr className="bg-sunken text-label">
            <th scope="col" className="h-8 px-3 text-start font-medium text-ink-2">
              <span className="mr-2">Scopes</span>
              <Tag className="bg-surface">{tag}</Tag>
            </th>
            {KEY_LEVELS.map((level) => (
              <th key={level} scope="col" className="w-16 font-medium text-ink-2 max-sm:w-12">
                {LEVEL_TEXT[level]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((scope) => {
            const { label, detail } = SCOPES[scope];
            return (
              <tr key={scope} className="border-line border-t">
                <th scope="row" className="h-8 px-3 py-1 text-start font-normal">
                  {label} <span className="text-ink-2 max-sm:block">{detail}</span>
                </th>
                {KEY_LEVELS.map((level) => (
                  <td key={level} className="p-0 text-center">
                    <label className="grid min-h-8 cursor-pointer place-items-center max-sm:min-h-(--hit)">
                      <span className="sr-only">{`${label}: ${LEVEL_TEXT[level]}`}</span>
                      <LiveInput
                        type="radio"
                        name={`${id}-${scope}`}
                        checked={(scopes[scope] ?? "none") === level}
                        onChange={() => onScopesChange({ ...scopes, [scope]: level })}
                        className="size-4 accent-accent max-sm:size-5"
                      />
                    </label>
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
