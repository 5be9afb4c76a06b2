import { BaseError, decodeErrorResult, type Hex, hexToString } from "viem";
import { allErrorsAbi } from "./artifacts.ts";

/** Why a call reverted: the contract's error by name, with its values. */
export type RevertReason = { name: string; detail: string };

/** Decodes revert data of any of the contracts. Unknown data is kept as is. */
export function readRevertReason(data: Hex | undefined): RevertReason {
  if (!data || data === "0x")
    return { name: "NoReason", detail: "The call reverted without a reason." };
  try {
    const { errorName, args } = decodeErrorResult({ abi: allErrorsAbi, data });
    return { name: errorName, detail: `${errorName}(${(args ?? []).map(String).join(", ")})` };
  } catch {
    const text = hexToString(data).replace(/[^\x20-\x7e]/g, "");
    return {
      name: "UnknownError",
      detail: `Unknown revert ${data.slice(0, 138)} ${text.slice(0, 100)}`.trim(),
    };
  }
}

/** Revert data found anywhere inside a viem error. */
export function findRevertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  let data: Hex | undefined;
  error.walk((inner) => {
    const candidate = (inner as { data?: unknown }).data;
    if (typeof candidate === "string" && candidate.startsWith("0x")) data ??= candidate as Hex;
    else if (typeof candidate === "object" && candidate !== null) {
      const nested = (candidate as { data?: unknown }).data;
      if (typeof nested === "string" && nested.startsWith("0x")) data ??= nested as Hex;
    }
    return data !== undefined;
  });
  return data;
}
