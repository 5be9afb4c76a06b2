import "server-only";
import { cookies } from "next/headers";
import { cookieName } from "@/lib/server/identity/session-cookie.ts";
import { getRunning } from "@/lib/server/running.ts";

async function jar(name: string) {
  const { env } = await getRunning();
  const isSecure = env.origin.startsWith("https:");
  const options = { httpOnly: true, secure: isSecure, sameSite: "lax", path: "/" } as const;
  return { store: await cookies(), key: cookieName(name, env.origin), options };
}

export async function readCookie(name: string): Promise<string | undefined> {
  const { store, key } = await jar(name);
  return store.get(key)?.value;
}

export async function writeCookie(name: string, value: string, maxAge: number): Promise<void> {
  const { store, key, options } = await jar(name);
  store.set(key, value, { ...options, maxAge });
}

export async function removeCookie(name: string): Promise<void> {
  const { store, key, options } = await jar(name);
  store.set(key, "", { ...options, maxAge: 0 });
}
