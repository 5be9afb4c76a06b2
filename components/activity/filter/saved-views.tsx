import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { useRememberedChoice } from "../../ui/fields/remembered-choice.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { createLater } from "../../ui/later.ts";
import { NearLink } from "../../ui/links/near-link.tsx";
import { faultOfName, readViews, withoutView, withView } from "./views.ts";

const NameDialog = createLater(() => import("./view-dialog.tsx"), "ViewDialog");

/** Named filters of this browser. Each is an address, so that it can be shared. */
export function SavedViews({ query, canSave }: { query: string; canSave: boolean }) {
  const [kept, keep] = useRememberedChoice("activity-views");
  const [isNaming, setNaming] = useState(false);
  const AskForName = NameDialog.usePart(isNaming, () => setNaming(false));
  const views = readViews(kept);
  const isSaved = views.some((view) => view.query === query);
  if (views.length === 0 && !canSave) return null;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {views.map(({ name, query: own }) => (
        <span
          key={name}
          className="inline-flex min-h-7 max-w-full items-center rounded-control border border-line bg-surface ps-2.5 pe-0.5 text-note"
        >
          <NearLink
            href={`/activity?${own}`}
            scroll={false}
            aria-current={own === query ? "page" : undefined}
            className="link-quiet truncate aria-[current]:font-semibold aria-[current]:text-ink"
          >
            {name}
          </NearLink>
          <IconButton
            icon="close"
            label={`Delete view ${name}`}
            onClick={() => keep(withoutView(views, name))}
          />
        </span>
      ))}
      {canSave && !isSaved && (
        <Button size="small" onClick={() => setNaming(true)}>
          Save view
        </Button>
      )}
      {AskForName && isNaming && (
        <AskForName
          faultOf={(name) => faultOfName(views, name)}
          onClose={() => setNaming(false)}
          onName={(name) => {
            keep(withView(views, { name, query }));
            setNaming(false);
          }}
        />
      )}
    </div>
  );
}
