import { useEffect, useState } from "react";
import { LeaveGuard } from "../shell/leave-guard.tsx";
import { Button } from "../ui/button.tsx";
import { ButtonLink } from "../ui/button-link.tsx";
import type { ButtonLook } from "../ui/button-look.ts";
import { Card } from "../ui/card.tsx";
import { DefinitionList } from "../ui/data/definition-list.tsx";
import { Icon } from "../ui/icon.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { takeFocus } from "../ui/take-focus.ts";
import { useCopy } from "../ui/use-copy.ts";
import { Identifier } from "../ui/values/identifier.tsx";
import { absoluteTime } from "../ui/values/time-text.ts";
import { carryToken } from "./carried-token.ts";
import type { Minted, MintTerms } from "./mint-values.ts";
import { maskToken, tokenForms } from "./token-forms.ts";

export type MintedTokenProps = Minted & {
  planId: string;
  planName: string;
  agent?: MintTerms["agents"][number] | undefined;
  onAnother: () => void;
};

/** A new token, shown only here: masked, with buttons to copy it in several forms. */
export function MintedTokenCard(props: MintedTokenProps) {
  const { accessToken, tokenId, delegationId, expiresAt, planId, planName, agent } = props;
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useEffect(() => carryToken({ accessToken, planId }), [accessToken, planId]);
  const target = agent ?? { url: "https://your-agent.example/ask", method: "POST" };
  const forms = tokenForms(accessToken, target);
  const copied = () => setCopied(true);
  const playground = `/playground?plan=${planId}${agent ? `&agent=${agent.agentId}` : ""}`;
  return (
    <Card className="grid gap-4">
      {!isCopied && (
        <LeaveGuard
          title="Leave without copying the token?"
          description="You won’t see it again. The playground can use it until you reload or close this tab."
        />
      )}
      <h2 ref={takeFocus} tabIndex={-1} className="text-h2 outline-none">
        Your access token
      </h2>
      <code
        data-masked-token
        className="wrap-anywhere rounded-control border border-line bg-sunken p-3 text-note"
      >
        {maskToken(accessToken)}
      </code>
      <div className="flex flex-wrap gap-2">
        <CopyAs look="primary" label="Copy token" text={forms.token} onCopied={copied} />
        <CopyAs label="Copy as header" text={forms.header} onCopied={copied} />
        <CopyAs label="Copy .env" text={forms.env} onCopied={copied} />
        <CopyAs label="Copy cURL" text={forms.curl} onCopied={copied} />
      </div>
      <Notice tone="info" title="Anyone with this token can use your credits until it expires.">
        Copy it now. You won’t see it again.
      </Notice>
      <DefinitionList
        look="split"
        className="border-line border-y"
        items={{
          Plan: planName,
          Agent: agent?.name ?? "Any agent on this plan",
          Expires: absoluteTime(new Date(expiresAt)),
          "Token ID": <Identifier value={tokenId} name="token ID" />,
          Delegation: <Identifier value={delegationId} name="delegation ID" />,
        }}
      />
      <div className="flex flex-wrap gap-2">
        <ButtonLink href={playground}>Open in playground</ButtonLink>
        <ButtonLink href="/tokens">All tokens</ButtonLink>
        <Button look="quiet" onClick={isCopied ? props.onAnother : () => setAsking(true)}>
          Mint another
        </Button>
      </div>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Mint another without copying this token?"
        description="You won’t see it again. It works until it expires or you revoke it."
        safe="Stay"
        verb="Mint another"
        onConfirm={props.onAnother}
      />
    </Card>
  );
}

type CopyAsProps = ButtonLook & { label: string; text: string; onCopied: () => void };

const select = (box: HTMLTextAreaElement | null) => box?.select();

/** A button that copies a text and says so. Where the browser blocks copying, the text is shown, selected. */
function CopyAs({ label, text, onCopied, look }: CopyAsProps) {
  const { outcome, copy } = useCopy();
  const [isShown, setShown] = useState(false);
  const press = async () => {
    const isCopied = (await copy(text)) === "copied";
    setShown(!isCopied);
    if (isCopied) onCopied();
  };
  return (
    <>
      <Button look={look} onClick={press}>
        <Icon name={outcome === "copied" ? "tick" : "copy"} />
        {label}
      </Button>
      <span role="status" className="sr-only">
        {outcome === "copied" && "Copied"}
        {outcome === "refused" && "Your browser blocked copying. Copy the selected text."}
      </span>
      {isShown && (
        <textarea
          ref={select}
          readOnly
          rows={3}
          aria-label={`${label}: text`}
          value={text}
          onCopy={onCopied}
          className="w-full basis-full rounded-control border border-line-control bg-sunken p-2 font-mono text-small"
        />
      )}
    </>
  );
}
