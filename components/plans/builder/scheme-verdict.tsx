import { Icon } from "../../ui/icon.tsx";
import { Tag } from "../../ui/values/tag.tsx";
import type { Market } from "../market.ts";
import type { Rail } from "../rails.ts";

const PAYERS: Record<Rail, (market: Market) => string> = {
  card: () => "Subscribers pay with a saved card. No wallet needed.",
  stablecoin: ({ tokens }) =>
    `Subscribers pay ${tokens.find(({ isStable }) => isStable)?.symbol ?? "it"} from their account. No card needed.`,
  token: () =>
    "Subscribers pay with the token from their account. A delegation for it is denominated in the token.",
  native: ({ nativeSymbol }) =>
    `Subscribers pay ${nativeSymbol} from their account. No card needed.`,
  free: () => "Orders are free. Calls use credits, and nothing is charged.",
};

/** How a plan settles, which follows from its price. */
export function SchemeVerdict({ rail, market }: { rail: Rail; market: Market }) {
  const isCard = rail === "card";
  return (
    <div
      data-testid="scheme-verdict"
      className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 gap-y-1 rounded-control border border-line bg-sunken p-3"
    >
      <Icon name={isCard ? "card" : rail === "free" ? "info" : "chain"} className="mt-0.5 size-4" />
      <p className="flex flex-wrap items-center gap-1.5">
        <span className="font-semibold">
          {isCard
            ? "Settles by card"
            : rail === "free"
              ? "No payment to settle"
              : `Settles on ${market.chainName}`}
        </span>
        <Tag isMono className="bg-surface">
          {isCard ? "svc:card-delegation" : "svc:erc4337"}
        </Tag>
        <Tag isMono className="bg-surface">
          {isCard ? "card-processor" : market.network}
        </Tag>
      </p>
      <p className="col-start-2 text-ink-2 text-note">{PAYERS[rail](market)}</p>
    </div>
  );
}
