"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { SearchField } from "../ui/fields/search-field.tsx";

type SearchBoxProps = {
  label: string;
  placeholder?: string;
};

/** Searches the list below it; the query is part of the address. */
export function SearchBox({ label, placeholder = "Search" }: SearchBoxProps) {
  const router = useRouter();
  const path = usePathname();
  const given = useSearchParams();
  const search = (q: string) => {
    const query = new URLSearchParams(given);
    query.delete("cursor");
    if (q) query.set("q", q);
    else query.delete("q");
    router.replace(query.size > 0 ? `${path}?${query}` : path, { scroll: false });
  };
  return (
    <SearchField
      label={label}
      placeholder={placeholder}
      q={given.get("q") ?? ""}
      onSearch={search}
    />
  );
}
