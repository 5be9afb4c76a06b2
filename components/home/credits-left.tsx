import { outlookOf, type UsedSubscription } from "../subscriptions/outlook.ts";
import { actionOf } from "../subscriptions/subscription-text.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { ShareBar } from "../ui/data/share-bar.tsx";
import { NearLink } from "../ui/links/near-link.tsx";
import { groupDigits } from "../ui/values/money-text.ts";

const LOW_PERCENT = 20;

/** What is left of each subscription, and until when it lasts. */
export function CreditsLeft({
  subscriptions,
  now,
}: {
  subscriptions: readonly UsedSubscription[];
  now: string;
}) {
  return (
    <ul className="rounded-card border border-line bg-surface">
      {subscriptions.map((each) => (
        <Row key={each.planId} {...{ subscription: each, now }} />
      ))}
    </ul>
  );
}

function Row({ subscription, now }: { subscription: UsedSubscription; now: string }) {
  const { planId, planName, isActive } = subscription;
  const { title, detail } = outlookOf(subscription, now);
  return (
    <li className="grid items-center gap-x-6 gap-y-2.5 border-line px-5 py-4 not-last:border-b max-sm:px-4 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]">
      <div className="grid min-w-0 gap-1">
        <NearLink
          href={`/subscriptions/${planId}`}
          className="link-quiet wrap-anywhere w-fit font-medium"
        >
          {planName}
        </NearLink>
        <Left {...subscription} />
      </div>
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-ink-2 text-note">{detail}</p>
      </div>
      <ButtonLink
        size="small"
        className="justify-self-start"
        href={isActive ? `/tokens/new?plan=${planId}` : `/checkout/${planId}`}
        aria-label={`${actionOf(subscription)} for ${planName}`}
      >
        {actionOf(subscription)}
      </ButtonLink>
    </li>
  );
}

function Left({ accessLimit, available, creditsGranted, isActive }: UsedSubscription) {
  if (accessLimit === "time") {
    return <p className="text-ink-2 text-note">{isActive ? "Unlimited calls" : "No access"}</p>;
  }
  const percent = percentOf(BigInt(available), BigInt(creditsGranted));
  return (
    <>
      <p className="text-note tabular-nums">
        <b className="text-h3">{groupDigits(available)}</b>{" "}
        <span className="text-ink-2">of {groupDigits(creditsGranted)} credits left</span>
      </p>
      <ShareBar
        percent={percent}
        className={`rounded-[2px] bg-ink-2/22 ${percent < LOW_PERCENT ? "text-unsettled" : "text-accent"}`}
      />
    </>
  );
}

const percentOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Math.min(100, Number((part * 100n) / whole));
