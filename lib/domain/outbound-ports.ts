/** Why a request was not made at all. Each comes with a sentence that explains it. */
export type RefusalCode =
  | "url_invalid"
  | "scheme_refused"
  | "credentials_in_url"
  | "port_refused"
  | "address_refused"
  | "method_refused"
  | "header_invalid"
  | "own_credential"
  | "request_too_large"
  | "too_many";

/** Why a request that was allowed has no answer. */
export type FailureCode =
  | "name_unknown"
  | "connect_refused"
  | "connect_timeout"
  | "connect_failed"
  | "tls_invalid"
  | "headers_timeout"
  | "headers_too_large"
  | "answer_malformed"
  | "broken_off"
  | "total_timeout"
  | "aborted";

/** Why an answer was not read to its end. */
export type CutCode =
  | "too_large"
  | "idle_timeout"
  | "total_timeout"
  | "broken_off"
  | "bad_encoding"
  | "aborted";

/** A step of one request, `ms` after its start. The last one is `end`, `refused` or `failed`. */
export type OutboundEvent =
  | { type: "dns"; host: string; addresses: string[]; ms: number }
  | { type: "connect"; address: string; port: number; isSecure: boolean; ms: number }
  /** `leftOut` names the headers that are not the caller's to send. */
  | { type: "sent"; bytes: number; leftOut: string[]; ms: number }
  | { type: "headers"; status: number; headers: [name: string, value: string][]; ms: number }
  | { type: "chunk"; bytes: Uint8Array; ms: number }
  /** `bytes` are as read, decompressed. `cut` says why the answer was not read to its end. */
  | { type: "end"; bytes: number; cut: { code: CutCode; message: string } | null; ms: number }
  | { type: "refused"; code: RefusalCode; message: string; ms: number }
  | { type: "failed"; code: FailureCode; message: string; ms: number };

export type OutboundRequest = {
  /** Whose request it is: each account has a few under way at a time. */
  account: string;
  method: string;
  url: string;
  headers?: Record<string, string>;
  /** The agent's own login, kept apart so that a header typed elsewhere cannot carry one. */
  authorization?: string;
  body?: string;
  signal?: AbortSignal;
  /** At most 5 minutes; 60 s when left out. */
  totalMs?: number;
  /** How long the agent may be silent; 10 s before its headers and 30 s after them when left out. */
  silentMs?: number;
  /** Decoded bytes of the answer to read, at most 5 MiB. */
  maxBytes?: number;
};

/**
 * Requests to addresses that people typed. Every address is checked before and after connecting,
 * redirects are reported and never followed, and what is refused is explained.
 */
export interface Outbound {
  send(request: OutboundRequest): AsyncGenerator<OutboundEvent, void>;
}
