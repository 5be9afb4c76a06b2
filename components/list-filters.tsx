import { useRouter } from "next/navigation";
import { useRef } from "react";
import { type ListQuery, SORTS, type Sort } from "./list-query.ts";
import { useShortcuts } from "./shell/use-shortcuts.ts";
import { FilterChips, type FilterChipsProps } from "./ui/fields/filter-chips.tsx";
import { SearchField } from "./ui/fields/search-field.tsx";
import { Select } from "./ui/fields/select.tsx";

const SORT_WORDS: Record<Sort, string> = {
  newest: "Newest first",
  oldest: "Oldest first",
  name: "By name",
};

type ListFiltersProps = FilterChipsProps & {
  label: string;
  placeholder: string;
  query: ListQuery;
  hrefOf: (change: { q?: string | undefined; sort?: Sort }) => string;
  hasSorts?: boolean | undefined;
};

/** Search, filters and order of a list, kept in the URL. `/` focuses the search. */
export function ListFilters(props: ListFiltersProps) {
  const { label, placeholder, query, hrefOf, hasSorts, ...chips } = props;
  const router = useRouter();
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ "/": () => field.current?.focus() });
  const go = (href: string) => router.replace(href, { scroll: false });
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <SearchField
        ref={field}
        label={label}
        placeholder={placeholder}
        q={query.q ?? ""}
        onSearch={(q) => go(hrefOf({ q: q || undefined }))}
      />
      <FilterChips {...chips} />
      {hasSorts && (
        <Select
          label="Order"
          className="ms-auto w-auto max-sm:ms-0"
          options={SORTS.map((sort) => ({ value: sort, label: SORT_WORDS[sort] }))}
          value={query.sort}
          onValueChange={(sort) => go(hrefOf({ sort: sort as Sort }))}
        />
      )}
    </div>
  );
}
