import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import type { SearchItem, SearchKind } from "@/lib/console/search.ts";
import { readOperation } from "../data/read-operation.ts";
import type { IconName } from "../ui/icon.tsx";
import { type CommandGroup, type CommandItem, CommandMenu } from "../ui/overlays/command-menu.tsx";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";
import { leavePage } from "./leave-page.ts";
import { type Found, searchAnswer } from "./search-answer.ts";
import { SECTION_GROUPS } from "./sections.ts";
import type { Visit } from "./visits.ts";

/** What each kind of object is called, alone and in a list, and its icon. */
const OBJECT_KINDS: Record<SearchKind, { one: string; many: string; icon: IconName }> = {
  agent: { one: "Agent", many: "Agents", icon: "agents" },
  plan: { one: "Plan", many: "Plans", icon: "plans" },
  customer: { one: "Customer", many: "Customers", icon: "wallet" },
  subscription: { one: "Subscription", many: "Subscriptions", icon: "subscriptions" },
  delegation: { one: "Delegation", many: "Delegations", icon: "gauge" },
  token: { one: "Access token", many: "Access tokens", icon: "key" },
  order: { one: "Order", many: "Orders", icon: "card" },
  request: { one: "Request", many: "Requests", icon: "activity" },
  apiKey: { one: "API key", many: "API keys", icon: "console" },
};

const COMMANDS = [
  { label: "New plan", href: "/plans/new" },
  { label: "Register an agent", href: "/agents/new" },
  { label: "New delegation", href: "/delegations/new" },
  { label: "Mint access token", href: "/tokens/new" },
  { label: "New API key", href: "/settings/api-keys" },
  { label: "Documentation", href: "/docs" },
  { label: "API reference", href: "/docs/api" },
];
const KINDS = Object.keys(OBJECT_KINDS) as SearchKind[];
const TYPING_MS = 100;

/** Objects, sections and commands by name; objects also by id, address or hash. Recent pages first. */
export function CommandPalette({ recent, onClose }: { recent: Visit[]; onClose: () => void }) {
  const router = useRouter();
  const [query, setQuery] = useState("");
  const search = useSearch(query.trim());
  const go = (href: string) => () => leavePage(() => router.push(href));
  const visits = recent.map(({ href, name, kind }) => ({
    id: `recent ${href}`,
    label: name,
    note: kind,
    icon: "history" as const,
    onSelect: go(href),
  }));
  const groups: CommandGroup[] = [
    { name: "Recent", items: search.items.length > 0 ? [] : matching(visits, query) },
    ...groupsOf(search.items, go),
    {
      name: "Commands",
      items: matching(
        COMMANDS.map(({ label, href }) => ({ id: `do ${href}`, label, onSelect: go(href) })),
        query,
      ),
    },
    ...SECTION_GROUPS.map(({ title, sections }) => ({
      name: title ?? "Go to",
      items: matching(
        sections.map(({ href, label, icon, key }) => ({
          id: href,
          label,
          icon,
          ...(key && { keys: ["g", key] }),
          onSelect: go(href),
        })),
        query,
      ),
    })),
  ];
  return (
    <CommandMenu
      onClose={onClose}
      groups={groups.filter(({ items }) => items.length > 0)}
      query={query}
      onQuery={setQuery}
      empty={search.isReading ? "Searching…" : (search.failure ?? "No matches.")}
    />
  );
}

/** What was found for the text, a moment after the last key; older answers are dropped. */
function useSearch(q: string) {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (q === "") return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      readOperation("search", { q }, { signal: stop.signal })
        .then(({ items }) => setFound({ q, items }))
        .catch(() => {
          if (!stop.signal.aborted)
            setFound({
              q,
              items: [],
              failure: "The search could not be run. Type again to retry.",
            });
        });
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [q]);
  return searchAnswer(q, found);
}

/** The object that was meant, then the others in groups that never change their order. */
function groupsOf(items: SearchItem[], go: (href: string) => () => void): CommandGroup[] {
  const [best, ...others] = items.map((item) => ({ kind: item.kind, item: itemOf(item, go) }));
  return [
    { name: items[0]?.isExact ? "Exact match" : "Best match", items: best ? [best.item] : [] },
    ...KINDS.map((kind) => ({
      name: OBJECT_KINDS[kind].many,
      items: others.filter((one) => one.kind === kind).map(({ item }) => item),
    })),
  ];
}

function itemOf(found: SearchItem, go: (href: string) => () => void): CommandItem {
  const { kind, id, name, detail, href } = found;
  const { one, icon } = OBJECT_KINDS[kind];
  return {
    id: `${kind} ${id}`,
    label: name === id ? shortenIdentifier(id) : name,
    note: name === id || detail === id ? one : detail,
    preview: `${one} · ${id}`,
    icon,
    onSelect: go(href ?? "/home"),
  };
}

/** Every word of the text is in the label. */
const matching = <Item extends CommandItem>(items: Item[], query: string): Item[] => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
};
