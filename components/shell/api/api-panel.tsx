import type { Environment } from "@turnpike/payments/protocol";
import { useSearchParams } from "next/navigation";
import { ButtonLink } from "../../ui/button-link.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { CodeTabs } from "../../ui/data/code-tabs.tsx";
import { SidePanel } from "../../ui/overlays/side-panel.tsx";
import { type ApiPlace, curlOf, javascriptOf, summaryOf } from "./call-code.ts";
import { codingPrompt } from "./coding-prompt.ts";
import { callsOfPage, type PageCall } from "./page-calls.ts";

type ApiPanelProps = {
  path: string;
  environment: Environment;
  isOpen: boolean;
  onClose: () => void;
};

/** The calls of a page with its own ids, on a command line and with the client, and all of them for a coding agent. */
export function ApiPanel({ path, environment, isOpen, onClose }: ApiPanelProps) {
  const query = useSearchParams();
  const place = { origin: window.location.origin, environment };
  const calls = callsOfPage(path, new URLSearchParams(query));
  return (
    <SidePanel
      isOpen={isOpen}
      onClose={onClose}
      title="Use the API"
      className="max-w-160"
      footer={
        <>
          <CopyText look="primary" text={() => promptOf(calls, place)}>
            Copy for coding agent
          </CopyText>
          <ButtonLink href="/settings/api-keys">API keys</ButtonLink>
          <ButtonLink href="/docs/api">API reference</ButtonLink>
        </>
      }
    >
      <p className="px-5 pt-5 pb-4 text-ink-2 max-sm:px-4">
        The same reads and changes as on this page. Keep your API key in the environment as{" "}
        <code>TURNPIKE_API_KEY</code>.
      </p>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-6 px-5 pb-5 max-sm:px-4">
        {calls.map((call) => (
          <section key={call.name} aria-label={summaryOf(call)} className="grid min-w-0 gap-2">
            <h3 className="text-h3">{summaryOf(call)}</h3>
            <CodeTabs
              label={summaryOf(call)}
              samples={[
                { language: "curl", label: "cURL", code: curlOf(call, place) },
                { language: "js", label: "JavaScript", code: javascriptOf(call, place) },
              ]}
            />
          </section>
        ))}
      </div>
    </SidePanel>
  );
}

const promptOf = (calls: readonly PageCall[], place: ApiPlace): string =>
  codingPrompt({
    task: "Write code that makes these calls to Turnpike, a service for paid access to AI agents.",
    ids: [],
    origin: place.origin,
    samples: calls.flatMap((call) => [
      { title: summaryOf(call), language: "js", code: javascriptOf(call, place) },
      { title: `${summaryOf(call)}, over HTTP`, language: "sh", code: curlOf(call, place) },
    ]),
  });
