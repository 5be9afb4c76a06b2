import type { Hex } from "viem";
import { deriveKey } from "@/lib/adapters/crypto/sealing.ts";

/** The key that administers the sandbox's contracts and pauses orders there. It is not the settler's. */
export const adminKeyOf = (secretKey: Uint8Array): Hex =>
  `0x${Buffer.from(deriveKey(secretKey, "chain/admin")).toString("hex")}`;
