import { redirect } from "next/navigation";
import type { Searched } from "@/components/search-params.ts";
import { SignInPanel } from "@/components/sign-in/sign-in-panel.tsx";
import { SiteFooter } from "@/components/site-footer.tsx";
import { SiteHeader } from "@/components/site-header.tsx";
import { getRunning } from "@/lib/server/running.ts";
import { readSession } from "../_session/session.ts";
import * as actions from "./actions.ts";
import { safeNext } from "./safe-next.ts";

export const metadata = {
  title: "Sign in",
  description: "Sign in to Turnpike with a wallet or a passkey.",
};

export default async function SignInPage({ searchParams }: Searched<{ next?: string | string[] }>) {
  const { next } = await searchParams;
  const goesTo = safeNext(typeof next === "string" ? next : undefined);
  if (await readSession()) redirect(goesTo);
  const { env } = await getRunning();
  const isSandbox = env.environment === "sandbox";
  return (
    <>
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className="wrap grid w-full flex-1 content-start justify-items-center py-14 outline-none max-sm:py-8"
      >
        <SignInPanel isSandbox={isSandbox} goesTo={goesTo} actions={actions} />
      </main>
      <SiteFooter isSandbox={isSandbox} />
    </>
  );
}
