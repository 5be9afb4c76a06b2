type CarriedToken = { accessToken: string; planId: string };

let carried: CarriedToken | null = null;

/** Keeps a new token in this tab's memory, for the playground: never in a URL or in storage. */
export function carryToken(token: CarriedToken): void {
  carried = token;
}

/** Forgets it, when the person signs out. */
export function forgetToken(): void {
  carried = null;
}

/** The token that was minted last in this tab, if it is for this plan. */
export const carriedToken = (planId: string | undefined): string | null =>
  carried !== null && carried.planId === planId ? carried.accessToken : null;
