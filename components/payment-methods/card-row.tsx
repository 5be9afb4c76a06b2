import { useRouter } from "next/navigation";
import type { ActionAnswer } from "../forms/action-answer.ts";
import { FailureNotice } from "../forms/failure-notice.tsx";
import { useOperation } from "../forms/use-operation.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { StatePill } from "../ui/values/state-pill.tsx";
import { Tag } from "../ui/values/tag.tsx";
import { cardText, expiryOf, expiryText, type SavedCard } from "./card-text.ts";

export type SetDefault = (paymentMethodId: string) => Promise<ActionAnswer<unknown>>;

type CardRowProps = { card: SavedCard; now: string; setDefault: SetDefault; onRemove: () => void };

export function CardRow({ card, now, setDefault, onRemove }: CardRowProps) {
  const router = useRouter();
  const change = useOperation();
  const expiry = expiryOf(card, new Date(now));
  const name = cardText(card);
  const changed = () => {
    toast(`${name} is now the default`);
    router.refresh();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-first:border-t">
      <Icon name="card" className="size-4.5 text-ink-2" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          {name} {card.isDefault && <Tag>Default</Tag>}
        </span>
        <span className="text-ink-2 text-note tabular-nums">Expires {expiryText(card)}</span>
      </span>
      {expiry === "expired" && <StatePill state="Expired" />}
      {expiry === "soon" && (
        <StatePill tone="warn" icon="clock">
          Expires soon
        </StatePill>
      )}
      <span className="flex gap-2">
        {!card.isDefault && expiry !== "expired" && (
          <Button
            size="small"
            isPending={change.isPending}
            aria-label={`Make ${name} the default`}
            onClick={() => void change.run(() => setDefault(card.id), changed)}
          >
            Make default
          </Button>
        )}
        <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </span>
      {change.failure && (
        <div className="w-full">
          <FailureNotice title="The default card was not changed." of={change} />
        </div>
      )}
    </li>
  );
}
