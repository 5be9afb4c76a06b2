import type { Look } from "@/lib/probe/report/discovery.ts";
import { cn } from "../../ui/cn.ts";
import { Icon } from "../../ui/icon.tsx";

/** The paths that were tried for a definition, and those still to be tried. */
export function WhereWeLooked({
  looks,
  ahead,
  isLooking,
}: {
  looks: readonly Look[];
  ahead: readonly string[];
  isLooking: boolean;
}) {
  const coming = isLooking ? ahead.slice(looks.length) : [];
  return (
    <section aria-labelledby="where-we-looked" className="min-w-0">
      <h3 id="where-we-looked" className="text-label">
        Where we looked
      </h3>
      <ul className="mt-1.5">
        {looks.map(({ path, url, state, note }) => (
          <li
            key={url}
            className="flex items-center gap-2 border-line py-1.5 not-last:border-b text-note"
          >
            <Icon
              name={state === "found" ? "tick" : state === "failed" ? "cross" : "minus"}
              className={cn(
                "size-4",
                state === "found" && "text-settled",
                state === "failed" && "text-refused",
              )}
            />
            <code title={url} className="wrap-anywhere min-w-0 text-small">
              {path}
            </code>
            <span
              className={cn(
                "wrap-anywhere ms-auto max-w-[60%] text-end",
                state === "found" ? "font-medium" : "text-ink-2",
              )}
            >
              {note}
            </span>
          </li>
        ))}
        {coming.map((path) => (
          <li
            key={path}
            className="flex items-center gap-2 border-line py-1.5 not-last:border-b text-ink-2 text-note"
          >
            <Icon name="dashed" className="size-4" />
            <code className="wrap-anywhere text-small">{path}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
