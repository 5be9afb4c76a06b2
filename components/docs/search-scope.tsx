"use client";

import { createContext, type ReactNode, useContext, useId, useState } from "react";
import { LiveInput } from "../ui/fields/live-input.tsx";
import { Icon } from "../ui/icon.tsx";

const Query = createContext("");

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);

const isFound = (text: string, query: string) =>
  wordsOf(query).every((word) => text.toLowerCase().includes(word));

type SearchScopeProps = {
  label: string;
  placeholder: string;
  /** The text of each thing that can be found, to count the hits. */
  texts: string[];
  /** The plural of what is searched. */
  noun: string;
  children: ReactNode;
};

/** A search field over the server-rendered things inside it; without script all of them are shown. */
export function SearchScope({ label, placeholder, texts, noun, children }: SearchScopeProps) {
  const [query, setQuery] = useState("");
  const id = useId();
  const hits = texts.filter((text) => isFound(text, query)).length;
  return (
    <Query value={query}>
      <search className="grid max-w-140 gap-1.5">
        <label htmlFor={id} className="text-label">
          {label}
        </label>
        <span className="relative">
          <Icon
            name="search"
            className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-2"
          />
          <LiveInput
            id={id}
            type="search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            placeholder={placeholder}
            autoComplete="off"
            className="h-9 w-full rounded-control border border-line-control bg-surface pr-3 pl-9 text-body placeholder:text-ink-2 max-sm:h-11 max-sm:text-[1rem]"
          />
        </span>
        <p role="status" className="min-h-4.5 text-ink-2 text-note">
          {query &&
            (hits > 0 ? `${hits} of ${texts.length} ${noun}` : `No ${noun} match “${query}”.`)}
        </p>
      </search>
      {children}
    </Query>
  );
}

/** Something to be found: hidden while the query does not match any of its texts. */
export function SearchItem({ texts, children }: { texts: string[]; children: ReactNode }) {
  const query = useContext(Query);
  const isShown = texts.some((text) => isFound(text, query));
  return <div hidden={!isShown}>{children}</div>;
}
