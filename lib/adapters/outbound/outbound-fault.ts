import type { FailureCode, RefusalCode } from "@/lib/domain/outbound-ports.ts";

type Fault =
  | { type: "refused"; code: RefusalCode; message: string }
  | { type: "failed"; code: FailureCode; message: string };

/** A request that was blocked or failed, with the event that reports it. */
export class OutboundFault extends Error {
  override readonly name = "OutboundFault";
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

export const refuse = (code: RefusalCode, message: string): OutboundFault =>
  new OutboundFault({ type: "refused", code, message });

export const fail = (code: FailureCode, message: string): OutboundFault =>
  new OutboundFault({ type: "failed", code, message });
