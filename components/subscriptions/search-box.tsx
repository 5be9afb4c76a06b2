"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { TextInput } from "../ui/text-input.tsx";

const PAUSE_MS = 250;

/** Searches the list it stands above; what is searched stands in the address. */
export function SearchBox({ label }: { label: string }) {
  const router = useRouter();
  const path = usePathname();
  const search = useSearchParams();
  const given = search.get("q") ?? "";
  const [text, setText] = useState(given);
  const isTyping = useRef(false);

  // The address changed by something else, such as clearing the filters.
  useEffect(() => {
    if (!isTyping.current) setText(given);
  }, [given]);

  useEffect(() => {
    if (!isTyping.current) return;
    const timer = setTimeout(() => {
      isTyping.current = false;
      const query = new URLSearchParams(search);
      query.delete("cursor");
      if (text.trim()) query.set("q", text);
      else query.delete("q");
      router.replace(query.size > 0 ? `${path}?${query}` : path, { scroll: false });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, search, path, router]);

  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder="Search"
      data-list-search
      autoComplete="off"
      className="h-(--control) w-52 max-sm:w-full"
      value={text}
      onChange={(event) => {
        isTyping.current = true;
        setText(event.target.value);
      }}
    />
  );
}
