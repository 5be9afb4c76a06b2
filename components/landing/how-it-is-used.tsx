import { CodeBlock, NumberedCode } from "../ui/data/code-block.tsx";
import { GATE_SNIPPET } from "./gate-snippet.ts";

/** The gate in ten lines, and the two commands. */
export function HowItIsUsed() {
  return (
    <div className="border-line border-t py-8 lg:py-12">
      <div className="wrap grid gap-8 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
        <section aria-labelledby="gate-heading" className="grid min-w-0 grid-rows-[auto_auto_1fr]">
          <h2 id="gate-heading" className="text-h2">
            The gate is ten lines
          </h2>
          <p className="mt-1 mb-4 max-w-[60ch] text-ink-2">
            Keep your handler. The gate verifies the token before it runs and settles after it
            responds.
          </p>
          <CodeBlock
            label="Gate code"
            copies={GATE_SNIPPET}
            title={<span className="font-mono text-mono">app/ask/route.ts</span>}
          >
            <NumberedCode code={GATE_SNIPPET} />
          </CodeBlock>
        </section>
        <section
          aria-labelledby="commands-heading"
          className="grid min-w-0 grid-rows-[auto_auto_1fr]"
        >
          <h2 id="commands-heading" className="text-h2">
            Two commands
          </h2>
          <p className="mt-1 mb-4 max-w-[60ch] text-ink-2">
            Nothing else to set up: no account, no API key, no network.
          </p>
          <CodeBlock label="Commands" copies={"npm start\nnpm test\n"} title="Terminal">
            <code>
              <b className="font-semibold">$ npm start</b>
              {"\n"}
              <span className="text-ink-2">{"  starts the whole sandbox"}</span>
              {"\n"}
              <span className="text-ink-2">{"  and prints its URL"}</span>
              {"\n\n"}
              <b className="font-semibold">$ npm test</b>
              {"\n"}
              <span className="text-ink-2">{"  types, lint, unit,"}</span>
              {"\n"}
              <span className="text-ink-2">{"  contract, browser"}</span>
            </code>
          </CodeBlock>
        </section>
      </div>
    </div>
  );
}
