import { decodeBase64, encodeBase64 } from "@/lib/sdk/protocol/encoding/base64.ts";

export * from "@x402/core/utils";

/** What reads and writes headers in Turnpike, under the names of `@x402/core`. */
export const safeBase64Encode = encodeBase64;
export const safeBase64Decode = decodeBase64;
