import Link from "next/link";
import { ButtonLink } from "../ui/button-link.tsx";

const FACTS = [
  ["Pricing", "Plans with credits, at a fixed or dynamic price per call"],
  ["Payment", "Card, or stablecoin on-chain"],
  ["Protocol", "HTTP 402 with x402"],
  ["Charged", "After the agent has responded, never before"],
] as const;

/** What Turnpike is, in one sentence and four facts. */
export function HeroLead({ hasDemo }: { hasDemo: boolean }) {
  return (
    <div className="grid content-start gap-6 pt-2">
      <h1 className="text-balance text-[28px] leading-9 sm:text-display max-sm:font-semibold max-sm:tracking-[-0.02em]">
        Put a price on your agent’s endpoint, and see every call get paid.
      </h1>
      <dl className="border-line border-t text-note">
        {FACTS.map(([name, text]) => (
          <div
            key={name}
            className="grid grid-cols-[88px_1fr] gap-3 border-line border-b py-2.25 sm:grid-cols-[104px_1fr]"
          >
            <dt className="text-ink-2">{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <p className="flex flex-wrap gap-3">
        <ButtonLink href="/playground" prefetch={false}>
          Open playground
        </ButtonLink>
        <ButtonLink href="/plans/new" prefetch={false}>
          Price an agent
        </ButtonLink>
      </p>
      {hasDemo && (
        <p className="text-ink-2 text-note">
          The call on this page runs for real, in the sandbox: no account, no wallet, no real money.{" "}
          <code>npm run demo</code> runs it in your terminal. Its calls are documented in the{" "}
          <Link href="/docs/api" className="link">
            API reference
          </Link>
          .
        </p>
      )}
    </div>
  );
}
