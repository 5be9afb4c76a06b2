import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Home } from "@/lib/console/figures.ts";
import { QueryProvider } from "../data/query-provider.tsx";
import { readQuery } from "../data/read-operation.ts";
import { useEventRefresh } from "../data/use-event-refresh.ts";

type ReadHomeFiguresProps = { onRead: (figures: Home | undefined) => void };

/** Keeps the figures of the frame up to date. Renders nothing, and arrives after the page. */
export function ReadHomeFigures(props: ReadHomeFiguresProps) {
  return (
    <QueryProvider>
      <Reader {...props} />
    </QueryProvider>
  );
}

function Reader({ onRead }: ReadHomeFiguresProps) {
  const { data } = useQuery({
    ...readQuery("getHome", {}),
    refetchInterval: useEventRefresh(),
  });
  useEffect(() => onRead(data), [onRead, data]);
  return null;
}
