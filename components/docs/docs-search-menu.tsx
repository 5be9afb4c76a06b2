import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { CommandMenu } from "../ui/overlays/command-menu.tsx";
import { type Findable, findIn } from "./search-index.ts";

const KINDS = ["Guides", "Operations", "Error codes"] as const;

let kept: Promise<Findable[]> | undefined;

/** The index is fetched when the search first opens; a failed fetch is tried again at the next opening. */
function readIndex(): Promise<Findable[]> {
  kept ??= fetch("/docs/search.json").then((answer) => {
    if (!answer.ok) throw new Error(`The search index returned ${answer.status}.`);
    return answer.json();
  });
  kept.catch(() => {
    kept = undefined;
  });
  return kept;
}

/** Search over the documentation by its titles and its words. */
export function DocsSearchMenu({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [query, setQuery] = useState("");
  const [index, setIndex] = useState<Findable[]>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    readIndex().then(setIndex, () => setFailed(true));
  }, []);
  const found = findIn(index ?? [], query);
  const groups = KINDS.map((name) => ({
    name,
    items: found
      .filter(({ kind }) => kind === name)
      .map(({ title, note, href }) => ({
        id: `${href} ${title}`,
        label: title,
        note,
        onSelect: () => router.push(href),
      })),
  }));
  const waiting = hasFailed
    ? "The search could not be loaded. Close it and try again."
    : index
      ? `Nothing matches “${query}”.`
      : "Loading…";
  return (
    <CommandMenu
      onClose={onClose}
      groups={groups.filter(({ items }) => items.length > 0)}
      query={query}
      onQuery={setQuery}
      empty={waiting}
      label="Search docs"
      placeholder="Search guides, operations and error codes"
    />
  );
}
