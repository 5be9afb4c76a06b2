import { codingPrompt } from "../shell/api/coding-prompt.ts";
import { ButtonLink } from "../ui/button-link.tsx";
import { CopyText } from "../ui/copy-text.tsx";
import { CodeTabs } from "../ui/data/code-tabs.tsx";
import { Notice } from "../ui/notice.tsx";
import { type GatingInput, gatingSamples } from "./gating-code.ts";

export function AgentCode({ input, isNew }: { input: GatingInput; isNew: boolean }) {
  const { agentId, planIds, routes } = input;
  return (
    <div className="grid gap-4">
      {isNew && (
        <Notice
          tone="settled"
          title="The agent is registered."
          role="status"
          action={<ButtonLink href={`/agents/${agentId}/checks`}>Run checks</ButtonLink>}
        >
          Put the gate in front of its routes, then run the checks.
        </Notice>
      )}
      {planIds.length === 0 || routes.length === 0 ? (
        <Notice
          tone="unsettled"
          title={planIds.length === 0 ? "No plan linked yet" : "No paid endpoints yet"}
          action={
            <ButtonLink href={`/agents/${agentId}/${planIds.length === 0 ? "plans" : "endpoints"}`}>
              {planIds.length === 0 ? "Link a plan" : "Add an endpoint"}
            </ButtonLink>
          }
        >
          The gate needs a plan and a paid endpoint to ask for payment.
        </Notice>
      ) : (
        <>
          <p className="max-w-[68ch] text-ink-2">
            The gate returns 402 to requests without a token. With one, it verifies the token, runs
            your route, and settles if the response is 2xx. Create an API key with the Gate preset
            and set it as <code>TURNPIKE_API_KEY</code>.
          </p>
          <p>
            <CopyText text={gatePrompt(input)}>Copy for coding agent</CopyText>
          </p>
          <CodeTabs label="Gating code" usesOwnIds samples={gatingSamples(input)} />
        </>
      )}
    </div>
  );
}

const gatePrompt = (input: GatingInput): string =>
  codingPrompt({
    task: "Put the Turnpike gate in front of the routes of my agent. A request without the payment-signature header must get status 402 with the requirement in the payment-required header, and the handler must not run. Use the framework that the project uses.",
    ids: [["Agent", input.agentId], ...input.planIds.map((planId) => ["Plan", planId] as const)],
    origin: input.origin,
    samples: gatingSamples(input).map(({ label, language, code }) => ({
      title: label,
      language: language === "curl" ? "sh" : "ts",
      code,
    })),
  });
