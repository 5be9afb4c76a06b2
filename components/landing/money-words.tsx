import { MONEY_STATUSES, MoneyStatus } from "../ui/values/money-status.tsx";

type Status = keyof typeof MONEY_STATUSES;

/** The seven payment statuses and their meanings. */
export function MoneyWords() {
  return (
    <div className="border-line border-t py-8 lg:py-12">
      <section
        aria-labelledby="words-heading"
        className="wrap grid gap-x-16 gap-y-6 lg:grid-cols-[minmax(0,5fr)_minmax(0,7fr)]"
      >
        <div>
          <h2 id="words-heading" className="text-h2">
            Every call has a payment status
          </h2>
          <p className="mt-2 max-w-[46ch] text-ink-2">
            The HTTP status says whether you got a response. The payment status says what happened
            to the money. Every record and receipt shows both, so a call is never just “failed”.
          </p>
        </div>
        <dl className="border-line border-t">
          {(Object.keys(MONEY_STATUSES) as Status[]).map((status) => (
            <div
              key={status}
              className="grid gap-x-4 gap-y-1 border-line border-b py-2.25 sm:grid-cols-[200px_minmax(0,1fr)] sm:items-center"
            >
              <dt>
                <MoneyStatus status={status} />
              </dt>
              <dd>{MONEY_STATUSES[status].meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  );
}
