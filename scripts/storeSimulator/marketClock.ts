import { z } from 'zod';
import { type Market } from './market';

const tickMs = 250;

const TestClock = z.object({ ahead: z.number() });

/** The stores' time: the real one, or that of the test clock furthest ahead among the merchants that it follows. */
export interface MarketClock {
  advance(seconds: number): void;
  /** From now on it goes along with the test clock of the merchant whose token this is. */
  follow(token: string): void;
  /** Reads those test clocks now: who asks a store because its clock has moved hears how things stand by then. */
  catchUp(): Promise<void>;
  stop(): void;
}

/** `paywall`: the address of the API, where test clocks are read. */
export function startMarketClock(market: Market, paywall: () => string): MarketClock {
  let aheadMs = 0;
  let reading: Promise<void> | undefined;
  const followed = new Set<string>();
  const move = () => market.advance(new Date(Date.now() + aheadMs));
  const readAll = async () => {
    for (const token of followed) aheadMs = Math.max(aheadMs, (await readAhead(paywall(), token)) ?? 0);
  };
  const read = () => (reading ??= readAll().finally(() => (reading = undefined)));
  const timer = setInterval(() => void read().then(move), tickMs);
  return {
    advance(seconds) {
      aheadMs += seconds * 1000;
      move();
    },
    follow: (token) => void followed.add(token),
    async catchUp() {
      // One that is under way may have begun before the clock was moved.
      await reading;
      await read();
      move();
    },
    stop: () => clearInterval(timer),
  };
}

/** Undefined while the API is away, or does not know the token. */
async function readAhead(paywall: string, token: string): Promise<number | undefined> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${paywall}/test-clock`, { headers, signal: AbortSignal.timeout(5_000) });
    return TestClock.parse(await answer.json()).ahead * 1000;
  } catch {
    return undefined;
  }
}
