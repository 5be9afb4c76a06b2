"use client";

import Link from "next/link";
import { type ReactNode, useId } from "react";
import { cn } from "../cn.ts";
import { LiveInput } from "./live-input.tsx";

const TRACK =
  "inline-flex max-w-full gap-0.5 overflow-x-auto rounded-control border border-line bg-sunken p-0.5 [scrollbar-width:none]";
const PART =
  "inline-flex min-h-6.5 items-center justify-center gap-1.5 whitespace-nowrap rounded-tag px-2.5 text-ink-2 text-label no-underline hover:text-ink max-sm:min-h-9";
const CHOSEN = "bg-surface text-ink shadow-[0_0_0_1px_var(--line)] forced-colors:outline";

type SegmentedOption = { value: string; label: ReactNode };

export type SegmentedControlProps = {
  /** What is chosen, for screen readers. */
  label: string;
  options: SegmentedOption[];
  value: string;
  onValueChange: (value: string) => void;
  /** Full width, in equal parts. */
  isWide?: boolean;
  className?: string;
};

/** A choice of two to five options in one line: radio buttons, so arrow keys choose. */
export function SegmentedControl(props: SegmentedControlProps) {
  const { label, options, value, onValueChange, isWide, className } = props;
  const name = useId();
  return (
    <fieldset className={cn(TRACK, isWide && "flex", className)}>
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className={cn(
            PART,
            "relative cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-accent",
            isWide && "min-w-0 flex-1 px-1.5",
            option.value === value && CHOSEN,
          )}
        >
          <LiveInput
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValueChange(option.value)}
            className="absolute size-px appearance-none opacity-0"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

export type SegmentedLink = { href: string; label: ReactNode; isCurrent: boolean };

/**
 * The same look for a choice in the query string, in several lines where one is too short. Its links are not prefetched: each is this page again,
 * rendered by the service, and those renders would compete with the choice itself.
 */
export function SegmentedLinks({ label, links }: { label: string; links: SegmentedLink[] }) {
  return (
    <nav aria-label={label} className={cn(TRACK, "flex-wrap")}>
      {links.map(({ href, label: text, isCurrent }) => (
        <Link
          key={href}
          href={href}
          scroll={false}
          prefetch={false}
          aria-current={isCurrent ? "true" : undefined}
          className={cn(PART, "-outline-offset-2", isCurrent && CHOSEN)}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
