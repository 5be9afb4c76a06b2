"use client";

import type { TokenSummary } from "@turnpike/payments/protocol";
import { plural } from "@/lib/text/plural.ts";
import type { OperationAction } from "../forms/action-answer.ts";
import { OperationDialog } from "../forms/operation-dialog.tsx";
import type { Effect } from "../ui/overlays/dialog.tsx";
import { DialogButton } from "../ui/overlays/dialog-button.tsx";
import { toast } from "../ui/overlays/toast-store.ts";
import { shortenIdentifier } from "../ui/values/shorten-identifier.ts";

export type RevokeTokenAction = OperationAction<"revokeToken">;

type RevokeTokenProps = {
  token: Pick<TokenSummary, "tokenId" | "planName" | "redemptionsReserved">;
  revokeToken: RevokeTokenAction;
  onClose: () => void;
};

export function RevokeToken({ token, revokeToken, onClose }: RevokeTokenProps) {
  const tail = shortenIdentifier(token.tokenId);
  const underWay = token.redemptionsReserved;
  const effects: (Effect | false)[] = [
    { icon: "key", title: "New calls with it are declined" },
    underWay > 0 && {
      icon: "half",
      title: `${plural(underWay, "call")} in progress may still settle`,
      detail: "Their credits are already reserved.",
    },
    {
      icon: "check",
      title: `You keep your credits on “${token.planName}”`,
      detail: "Its delegation and your other tokens stay active.",
    },
  ];
  return (
    <OperationDialog
      title={`Revoke token ${tail}?`}
      description="It stops working immediately. You can’t undo this."
      effects={effects.filter((effect) => effect !== false)}
      safe="Keep it"
      verb="Revoke token"
      failed="The token was not revoked."
      run={() => revokeToken({ tokenId: token.tokenId })}
      onDone={() => toast(`Token ${tail} was revoked`)}
      onClose={onClose}
    />
  );
}

export function RevokeTokenButton(props: Omit<RevokeTokenProps, "onClose">) {
  return (
    <DialogButton dialog={(onClose) => <RevokeToken {...props} onClose={onClose} />}>
      Revoke
    </DialogButton>
  );
}
