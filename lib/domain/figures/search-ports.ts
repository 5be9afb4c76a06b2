import type { SearchKind } from "@/lib/console/search.ts";

/** What the database searches itself; requests come from the activity. */
export type FoundKind = Exclude<SearchKind, "request">;

/** `rank`: 0 is the object that was meant, 1 its whole name, 2 a beginning, 3 a part. */
export type Found = {
  kind: FoundKind;
  id: string;
  name: string;
  detail: string;
  href: string;
  rank: number;
};

export type FoundRequest = Pick<Found, "id" | "rank">;

export interface Search {
  /** The best matches of each kind among what the account owns, sold or bought. */
  find(
    account: string,
    text: string,
    options: { kinds: readonly FoundKind[]; limit: number },
  ): Promise<Found[]>;
  /** The requests behind a settlement's id, or behind a transaction that settled on chain. */
  requestsSettledAs(account: string, text: string, limit: number): Promise<FoundRequest[]>;
  /** Those of the newest requests whose id begins with the text or contains it. */
  requestsLike(account: string, text: string, limit: number): Promise<FoundRequest[]>;
}
