import { personOf } from "@/app/_session/person.ts";
import { readSession } from "@/app/_session/session.ts";
import { signOut } from "@/app/sign-in/actions.ts";
import { SiteHeader } from "@/components/site-header.tsx";

/** The header of a public page with its own layout: the account menu when signed in, "Sign in" for visitors. */
export async function ViewerHeader() {
  const session = await readSession();
  return <SiteHeader account={session ? { person: personOf(session), signOut } : undefined} />;
}
