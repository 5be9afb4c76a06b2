export function Headline() {
  return (
    <h1 className="text-balance text-[34px] leading-[40px] font-semibold tracking-[-0.025em] sm:text-[46px] sm:leading-[52px] 2xl:text-[56px] 2xl:leading-[62px]">
      Put a price on your AI agent. Get paid for every call that works.
    </h1>
  );
}

export function Lead() {
  return (
    <p className="max-w-[52ch] text-[17px] leading-7 text-ink-2">
      Turnpike puts a paid gate in front of any HTTP, MCP or A2A endpoint. Callers buy a plan over
      HTTP 402, by card or stablecoin, and are charged only when your agent has answered.
    </p>
  );
}
