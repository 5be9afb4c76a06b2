"use client";

import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Home } from "@/lib/console/figures.ts";
import { QueryProvider } from "../data/query-provider.tsx";
import { pollQuery } from "../data/read-operation.ts";

type ReadHomeFiguresProps = { onRead: (figures: Home | undefined) => void };

/** Reads the figures of the frame again and again. Renders nothing, and arrives after the page. */
export function ReadHomeFigures(props: ReadHomeFiguresProps) {
  return (
    <QueryProvider>
      <Reader {...props} />
    </QueryProvider>
  );
}

function Reader({ onRead }: ReadHomeFiguresProps) {
  const { data } = useQuery(pollQuery("getHome", {}, { eachMs: 30_000 }));
  useEffect(() => onRead(data), [onRead, data]);
  return null;
}
