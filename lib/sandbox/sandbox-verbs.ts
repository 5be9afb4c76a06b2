import "server-only";
import { PaymentsError } from "@turnpike/payments/protocol";
import { requireCaller } from "@/lib/domain/context.ts";
import type { Verbs } from "@/lib/domain/verbs.ts";
import { serveOperations } from "@/lib/server/pipeline/served-operations.ts";
import type { FaultLab } from "./fault-lab.ts";
import type { Mailbox } from "./mailbox.ts";
import { type SandboxOperations, sandbox } from "./operations.ts";

export const serveSandbox = (lab: FaultLab, mailbox?: Pick<Mailbox, "list">) =>
  serveOperations(sandbox, createVerbs(lab, mailbox));

const createVerbs = (lab: FaultLab, mailbox?: Pick<Mailbox, "list">): Verbs<SandboxOperations> => ({
  async fund(context, { usdc, native, usdcAtLeast }) {
    const { account } = requireCaller(context);
    const { faucet } = context.ports;
    if (!faucet) throw new PaymentsError("not_found", "This sandbox has no faucet.");
    const isEither = usdc !== undefined || native !== undefined || usdcAtLeast !== undefined;
    return faucet.fund(account, {
      usdc: usdc ?? (!isEither || usdcAtLeast !== undefined),
      native: native ?? !isEither,
      usdcAtLeast,
    });
  },
  injectFault: (_, request) => lab.arm(request),
  listFaults: async () => ({ items: lab.list() }),
  clearFaults: async (_, { faultId }) => ({ success: true, cleared: await lab.clear(faultId) }),
  async listMails(_, { to }) {
    const items = mailbox?.list() ?? [];
    return { items: items.filter((mail) => to === undefined || mail.to === to) };
  },
  advanceClock: async ({ ports }, { seconds }) => ({
    now: (await ports.clock.advance(seconds)).toISOString(),
  }),
});
