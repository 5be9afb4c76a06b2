import { ButtonLink } from "../ui/button-link.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Need } from "./need.ts";

const INKS = {
  unsettled: "text-unsettled",
  refused: "text-refused",
  neutral: "text-ink-2",
} as const;

/** What needs attention; renders nothing when nothing does. */
export function NeedsList({ needs }: { needs: readonly Need[] }) {
  if (needs.length === 0) return null;
  return (
    <section aria-labelledby="needs" className="min-w-0">
      <div className="mb-0 flex min-h-10.5 items-center border-line border-b pb-2">
        <h2 id="needs" className="text-h2">
          Needs attention
        </h2>
        <span className="ms-auto text-ink-2 text-note tabular-nums">{needs.length}</span>
      </div>
      <ul>
        {needs.map(({ key, icon, tone, title, detail, action }) => (
          <li
            key={key}
            className="grid grid-cols-[16px_minmax(0,1fr)_auto] items-start gap-x-2.5 gap-y-0.5 border-line border-b py-3"
          >
            <Icon name={icon} className={`mt-0.5 size-4 ${INKS[tone]}`} />
            <p className="wrap-anywhere font-medium">{title}</p>
            <ButtonLink
              size="small"
              href={action.href}
              aria-label={`${action.label}: ${title}`}
              className="row-span-2 self-center"
            >
              {action.label}
            </ButtonLink>
            <p className="wrap-anywhere col-start-2 text-ink-2 text-note">{detail}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
