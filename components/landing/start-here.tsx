import { ButtonLink } from "../ui/button-link.tsx";
import { CopyButton } from "../ui/values/copy-button.tsx";

const START = "npm start";

/** How to begin: the sandbox on one's own machine, or an account here. */
export function StartHere() {
  return (
    <section aria-labelledby="start-here" className="border-line border-t py-10 lg:py-16">
      <div className="wrap grid items-center gap-x-16 gap-y-6 lg:grid-cols-2">
        <h2
          id="start-here"
          className="max-w-[24ch] text-balance text-[1.75rem] leading-9 font-semibold tracking-[-0.02em] sm:text-display"
        >
          Start the whole sandbox with one command.
        </h2>
        <div className="grid gap-3">
          <p className="flex items-center gap-3 rounded-control border border-line-control bg-surface py-1.5 ps-3.5 pe-1.5">
            <code className="flex-1">
              <span aria-hidden="true" className="select-none text-ink-2">
                ${" "}
              </span>
              {START}
            </code>
            <CopyButton text={START} label="Copy command" />
          </p>
          <p className="flex flex-wrap gap-3">
            <ButtonLink href="/plans/new" prefetch={false} size="big">
              Add pricing
            </ButtonLink>
            <ButtonLink href="/docs/api" prefetch={false} size="big">
              API reference
            </ButtonLink>
          </p>
          <p className="text-ink-2 text-note">
            Includes a database, chain, test USDC and test cards. <code>npm run demo</code> plays a
            paid call in your terminal.
          </p>
        </div>
      </div>
    </section>
  );
}
