"use client";

import { useId } from "react";
import { TextInput } from "../ui/fields/text-input.tsx";
import type { EndpointMatch } from "./match-endpoint.ts";
import { Placeholder } from "./url-template.tsx";

/** Shows the row a real URL matches, and the values of its placeholders. */
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
        {value.trim() !== "" && !match && "No endpoint matches: the request is not charged."}
        {match && <span>Row {match.index + 1}</span>}
        {match?.captures.map(({ name, value: captured }) => (
          <span key={name} className="wrap-anywhere font-mono">
            <Placeholder name={name} /> = {captured}
          </span>
        ))}
      </p>
    </div>
  );
}
