import { MONEY_STATUSES, MoneyStatus } from "../ui/values/money-status.tsx";

type Status = keyof typeof MONEY_STATUSES;

export function MoneyWords() {
  return (
    <section aria-labelledby="words-heading" className="border-line border-t py-10 lg:py-16">
      <div className="wrap">
        <h2 id="words-heading" className="text-h1">
          Every call has a payment status
        </h2>
        <p className="mt-1 max-w-[64ch] text-ink-2">
          The HTTP status says whether you got a response. The payment status says what happened to
          the money. Every record and receipt shows both, so a call is never just “failed”.
        </p>
        <dl className="mt-6 grid gap-x-5 gap-y-5 border-line grid-cols-2 border-y py-5 md:grid-cols-4 xl:grid-cols-7">
          {(Object.keys(MONEY_STATUSES) as Status[]).map((status) => (
            <div key={status}>
              <dt>
                <MoneyStatus status={status} />
              </dt>
              <dd className="mt-2 max-w-[32ch] text-ink-2 text-note">
                {MONEY_STATUSES[status].meaning}
              </dd>
            </div>
          ))}
        </dl>
      </div>
    </section>
  );
}
