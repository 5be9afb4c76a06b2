import type { Page } from "@playwright/test";
import type { Hex } from "viem";
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from "viem/accounts";

export type TestWallet = {
  account: LocalAccount;
  /** The wallet's requests, in order. */
  asked: string[];
  /** Rejects the next request of this kind. */
  rejectNext(method: string): void;
  /** Answers the next request of this kind with this EIP-1193 or EIP-1474 error. */
  failNext(method: string, code: number): void;
  /** Answers the next request of this kind once the function that this returns is called. */
  holdNext(method: string): () => void;
  /** Never answers the next request of this kind. */
  ignoreNext(method: string): void;
  /** Switches to another account. */
  setAccount(key: Hex): Promise<void>;
  setChain(chainId: number): Promise<void>;
};

const REJECTED = { code: 4001, message: "User rejected the request." };

/** Adds a wallet to the page that announces itself per EIP-6963; its key stays outside the browser. */
export async function addWallet(page: Page, key = generatePrivateKey()): Promise<TestWallet> {
  let account = privateKeyToAccount(key);
  const asked: string[] = [];
  const held = new Map<string, Promise<void>>();
  const failures = new Map<string, { code: number; message: string } | "silence">();
  let chainId = 84532;
  await page.exposeFunction("__wallet", async (method: string, params: unknown[]) => {
    asked.push(method);
    const isReleased = held.get(method);
    held.delete(method);
    await isReleased;
    const failure = failures.get(method);
    failures.delete(method);
    if (failure === "silence") return new Promise(() => {});
    if (failure) return { error: failure };
    switch (method) {
      case "eth_requestAccounts":
      case "eth_accounts":
        return { result: [account.address] };
      case "eth_chainId":
        return { result: `0x${chainId.toString(16)}` };
      case "personal_sign":
        return {
          result: await account.signMessage({ message: { raw: params[0] as `0x${string}` } }),
        };
      case "eth_signTypedData_v4":
        return { result: await account.signTypedData(JSON.parse(params[1] as string)) };
      case "wallet_switchEthereumChain":
        chainId = Number((params[0] as { chainId: string }).chainId);
        return { result: null };
      default:
        return { error: { code: 4200, message: `${method} is not supported.` } };
    }
  });
  await page.addInitScript(announceWallet);
  return {
    /** Its first account. */
    account,
    asked,
    rejectNext: (method) => failures.set(method, REJECTED),
    failNext: (method, code) => failures.set(method, { code, message: "Not now." }),
    holdNext: (method) => {
      let release = () => {};
      held.set(
        method,
        new Promise<void>((resolve) => {
          release = resolve;
        }),
      );
      return () => release();
    },
    ignoreNext: (method) => failures.set(method, "silence"),
    setAccount: async (other) => {
      account = privateKeyToAccount(other);
      await page.evaluate(
        (address) => (window as never as Emitter).__walletAccount(address),
        account.address,
      );
    },
    setChain: async (next) => {
      chainId = next;
      await page.evaluate(
        (hex) => (window as never as Emitter).__walletChain(hex),
        `0x${next.toString(16)}`,
      );
    },
  };
}

type Emitter = {
  __walletChain(chainId: string): void;
  __walletAccount(address: string): void;
};

/** Runs in the page. */
function announceWallet() {
  type Handler = (value: unknown) => void;
  const ask = (
    window as never as {
      __wallet(
        method: string,
        params: unknown[],
      ): Promise<{ result?: unknown; error?: { code: number; message: string } }>;
    }
  ).__wallet;
  const handlers: Record<string, Handler[]> = {};
  let isConnected = false;
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      // A wallet exposes no account before it is connected.
      if (method === "eth_accounts" && !isConnected) return [];
      const { result, error } = await ask(method, params);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      if (method === "eth_requestAccounts") isConnected = true;
      if (method === "wallet_switchEthereumChain") {
        const [{ chainId }] = params as [{ chainId: string }];
        for (const handler of handlers.chainChanged ?? []) handler(chainId);
      }
      return result;
    },
    on(event: string, handler: Handler) {
      handlers[event] = [...(handlers[event] ?? []), handler];
      return provider;
    },
    removeListener(event: string, handler: Handler) {
      handlers[event] = (handlers[event] ?? []).filter((one) => one !== handler);
      return provider;
    },
  };
  Object.assign(window, {
    __walletChain: (chainId: string) => {
      for (const handler of handlers.chainChanged ?? []) handler(chainId);
    },
    __walletAccount: (address: string) => {
      for (const handler of handlers.accountsChanged ?? []) handler([address]);
    },
  });
  const info = {
    uuid: "6f2f1a3e-7c1d-4f57-9a3f-0d1f6c5f5a10",
    name: "Test wallet",
    icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
    rdns: "dev.turnpike.wallet",
  };
  const announce = () =>
    window.dispatchEvent(
      new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
    );
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
