import { expect, test, vi } from "vitest";
import { useGrantSignature } from "./use-grant-signature.ts";

const page = vi.hoisted(() => ({
  effects: [] as (() => undefined | (() => void))[],
  answerWallet: (_signature: string) => {},
}));

// The hook without its component: it is rendered once.
vi.mock("react", () => ({
  useState: (first: unknown) => [first, () => {}],
  useRef: (current: unknown) => ({ current }),
  useEffect: (effect: () => undefined | (() => void)) => void page.effects.push(effect),
}));
vi.mock("wagmi", () => ({
  useSignTypedData: () => ({
    mutateAsync: () =>
      new Promise<string>((resolve) => {
        page.answerWallet = resolve;
      }),
  }),
  useSwitchChain: () => ({ mutateAsync: async () => {}, isPending: false }),
}));

function Signer() {
  page.effects = [];
  const onSigned = vi.fn();
  const typedData = { domain: {}, types: {}, primaryType: "", message: {} } as never;
  const { sign } = useGrantSignature({ typedData }, onSigned);
  const cleanups = page.effects.map((effect) => effect());
  return { sign, onSigned, leave: () => cleanups.forEach((cleanup) => void cleanup?.()) };
}

test("the wallet's signature is handed on", async () => {
  const { sign, onSigned } = Signer();
  const signing = sign();
  page.answerWallet("0x1");
  await signing;
  expect(onSigned).toHaveBeenCalledExactlyOnceWith("0x1");
});

test("a signature that arrives after the page was left is ignored", async () => {
  const { sign, onSigned, leave } = Signer();
  const signing = sign();
  leave();
  page.answerWallet("0x1");
  await signing;
  expect(onSigned).not.toHaveBeenCalled();
});
