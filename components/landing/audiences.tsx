import Link from "next/link";
import type { ReactNode } from "react";
import { HttpStatus } from "../ui/values/http-status.tsx";
import { MoneyStatus } from "../ui/values/money-status.tsx";

/** What Turnpike does for those who sell, those who buy, and those who write agents that pay. */
export function Audiences() {
  return (
    <section aria-labelledby="audiences" className="border-line border-t py-10 lg:py-16">
      <div className="wrap">
        <h2 id="audiences" className="text-h1">
          One gate for builders, subscribers and developers
        </h2>
        <div className="mt-6 grid rounded-card border border-line bg-surface lg:grid-cols-3">
          <Audience
            title="For builders"
            text="Sell credit packs, subscriptions or single calls, by card or stablecoin. A failed call is never charged."
            href="/plans/new"
            link="Add pricing"
          >
            <Row name="Credit pack" value="100 credits, 1 per call" />
            <Row name="Subscription" value="30 days, unlimited calls" />
            <Row name="Dynamic price" value="1 to 10 credits, by request" />
          </Audience>
          <Audience
            title="For subscribers"
            text="Give an agent a budget with a limit, an end date and an off switch. Every charge has a public receipt."
            href="/explore"
            link="Find an agent"
          >
            <Row name="Spending limit" value="enforced before each charge" />
            <Row name="Revoke" value="stops tokens immediately" />
            <Row name="Receipt" value="public, by its link" />
          </Audience>
          <Audience
            title="For agent developers"
            text="Drive any x402 endpoint by hand, read the 402, pay it, break it on purpose, and export the run as cURL or HAR."
            href="/playground"
            link="Open the playground"
          >
            <Row name={<HttpStatus status={402} />} value={<MoneyStatus status="challenged" />} />
            <Row name={<HttpStatus status={200} />} value={<MoneyStatus status="settled" />} />
            <Row name={<HttpStatus status={500} />} value={<MoneyStatus status="not-charged" />} />
          </Audience>
        </div>
      </div>
    </section>
  );
}

type AudienceProps = {
  title: string;
  text: string;
  href: string;
  link: string;
  children: ReactNode;
};

function Audience({ title, text, href, link, children }: AudienceProps) {
  return (
    <div className="grid grid-rows-[auto_1fr_auto_auto] gap-3 border-line p-6 max-lg:not-first:border-t lg:not-first:border-s">
      <h3 className="text-h3">{title}</h3>
      <p className="max-w-[60ch] text-ink-2">{text}</p>
      <dl className="rounded-control border border-line text-note">{children}</dl>
      <p>
        <Link href={href} prefetch={false} className="link">
          {link}
        </Link>
      </p>
    </div>
  );
}

const Row = ({ name, value }: { name: ReactNode; value: ReactNode }) => (
  <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 border-line px-3 py-1.5 not-last:border-b">
    <dt>{name}</dt>
    <dd className="text-end text-ink-2">{value}</dd>
  </div>
);
