import Link from "next/link";

type TestCallsLinkProps = {
  areShown: boolean;
  /** The same page the other way round. */
  href: string;
};

/** The switch for calls and sales of test customers, in a builder's figures and lists. */
export function TestCallsLink({ areShown, href }: TestCallsLinkProps) {
  return (
    <Link
      href={href}
      scroll={false}
      prefetch={false}
      data-testid="test-calls"
      className="link inline-flex min-h-6 items-center text-label"
    >
      {areShown ? "Hide test activity" : "Show test activity"}
    </Link>
  );
}
