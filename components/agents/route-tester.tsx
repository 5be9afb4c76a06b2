"use client";

import { useId } from "react";
import { TextInput } from "../ui/fields/text-input.tsx";
import type { EndpointMatch } from "./match-endpoint.ts";
import { Placeholder } from "./url-template.tsx";

/** Which row a real URL is meant by, and what its placeholders take. */
export function RouteTester({
  value,
  onValueChange,
  match,
}: {
  value: string;
  onValueChange: (value: string) => void;
  match: EndpointMatch | null;
}) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-t bg-sunken px-4 py-2.5 text-note">
      <label htmlFor={id} className="text-label">
        Try a URL
      </label>
      <TextInput
        id={id}
        isMono
        type="url"
        value={value}
        placeholder="https://agent.example/items/42"
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onValueChange(event.target.value)}
        className="min-w-48 flex-1"
      />
      <p role="status" className="flex min-w-0 flex-wrap items-center gap-x-2 max-sm:w-full">
        {value.trim() !== "" && !match && "No row takes it; it passes ungated."}
        {match && <span>Row {match.index + 1}</span>}
        {match?.captures.map(({ name, value: taken }) => (
          <span key={name} className="wrap-anywhere font-mono">
            <Placeholder name={name} /> = {taken}
          </span>
        ))}
      </p>
    </div>
  );
}
