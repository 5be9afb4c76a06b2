"use client";

import { useEffect, useState } from "react";
import type { SearchItem } from "@/lib/console/search.ts";
import { readOperation } from "../../data/read-operation.ts";
import { ButtonLink } from "../../ui/button-link.tsx";
import { Notice } from "../../ui/notice.tsx";

/** Offers the agent of this account that has the endpoint already. */
export function KnownAgent({ url }: { url: string }) {
  const [known, setKnown] = useState<SearchItem>();
  useEffect(() => {
    const stop = new AbortController();
    setKnown(undefined);
    if (url) {
      readOperation("search", { q: url }, stop.signal)
        .then(({ items }) => setKnown(items.find(isAgent)))
        // Registering refuses it too, and says so.
        .catch(() => {});
    }
    return () => stop.abort();
  }, [url]);
  if (!known) return null;
  return (
    <Notice
      tone="unsettled"
      title={`Your agent “${known.name}” has this endpoint already`}
      action={<ButtonLink href={known.href ?? "/agents"}>Open agent</ButtonLink>}
    >
      An endpoint belongs to one agent. Change that one, or archive it first.
    </Notice>
  );
}

const isAgent = ({ kind, isExact, detail }: SearchItem) =>
  kind === "agent" && isExact && detail !== "Archived";
