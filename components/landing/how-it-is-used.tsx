import { GateCode } from "./gate-code.tsx";

const STEPS = [
  ["No payment: 402", "The caller gets your plans and prices. Your code doesn’t run."],
  ["Payment: verify and reserve", "The credits are reserved, then your code runs."],
  ["Success: settle", "Charged once per request ID, however often it is retried."],
  ["Anything else: release", "Errors and timeouts cost the caller nothing."],
] as const;

export function HowItIsUsed() {
  return (
    <div className="border-line border-t py-10 lg:py-16">
      <div className="wrap grid items-start gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <GateCode />
        <section aria-labelledby="gate-heading" className="min-w-0">
          <h2 id="gate-heading" className="text-h1">
            The gate is ten lines
          </h2>
          <p className="mt-1 max-w-[60ch] text-ink-2">
            Keep your handler. The gate runs before it and settles after it.
          </p>
          <ol className="mt-5 border-line border-t">
            {STEPS.map(([title, text], index) => (
              <li
                key={title}
                className="grid grid-cols-[20px_minmax(0,1fr)] border-line border-b py-2.5"
              >
                <span className="text-ink-2 text-note tabular-nums">{index + 1}</span>
                <span>
                  <span className="font-medium">{title}</span>
                  <span className="block text-ink-2 text-note">{text}</span>
                </span>
              </li>
            ))}
          </ol>
        </section>
      </div>
    </div>
  );
}
