"use client";

import type { ReactNode } from "react";
import { PaneSeparator } from "./pane-separator.tsx";
import { type Pane, PaneTitle } from "./panes.tsx";

type Part = { content: ReactNode; aside?: ReactNode };

export type PaneGridProps = {
  /** The pane in view where only one fits. */
  pane: Pane;
  request: Part;
  timeline: Part;
  inspector: Part;
  /** Tables about several runs, below the timeline and inspector; on a phone below the timeline. */
  below?: ReactNode;
};

/**
 * Three panes side by side from 1280 px, two from 768 px, one below that. The side panes shrink before the
 * timeline does, so that nothing overflows the window.
 */
export function PaneGrid({ pane, request, timeline, inspector, below }: PaneGridProps) {
  const hide = (name: Pane) => (pane === name ? "" : "max-md:hidden");
  const rows = below
    ? "md:max-xl:grid-rows-[auto_auto_1fr] xl:grid-rows-[auto_1fr]"
    : "md:max-xl:grid-rows-[auto_1fr]";
  return (
    <div
      className={`grid grow content-start md:grid-cols-[minmax(260px,340px)_minmax(0,1fr)] md:content-stretch xl:grid-cols-[minmax(0,var(--request,360px))_minmax(420px,1fr)_minmax(0,var(--inspector,420px))] ${rows}`}
    >
      <div
        id="pg-pane-request"
        className={`relative min-w-0 border-line md:row-span-full md:border-e ${hide("request")}`}
      >
        <PaneSeparator pane="request" />
        <PaneTitle aside={request.aside}>Request</PaneTitle>
        {request.content}
      </div>
      <div className={`min-w-0 ${hide("timeline")}`}>
        <PaneTitle aside={timeline.aside}>Timeline</PaneTitle>
        {timeline.content}
      </div>
      <div
        id="pg-pane-inspector"
        className={`relative min-w-0 border-line md:max-xl:col-start-2 md:max-xl:border-t xl:border-s ${hide("inspector")}`}
      >
        <PaneSeparator pane="inspector" />
        <PaneTitle aside={inspector.aside}>Inspector</PaneTitle>
        {inspector.content}
      </div>
      {below && (
        <div className={`-mt-px min-w-0 md:col-start-2 md:-col-end-1 ${hide("timeline")}`}>
          {below}
        </div>
      )}
    </div>
  );
}
