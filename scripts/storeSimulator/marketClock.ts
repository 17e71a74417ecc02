import { z } from 'zod';
import { type Market } from './market';

const tickMs = 250;

const TestClock = z.object({ ahead: z.number() });

/** The stores' time: real time, or the time of the test clock that is furthest ahead among the followed merchants. */
export interface MarketClock {
  advance(seconds: number): void;
  /** Follows the test clock of the merchant to whom this token belongs. */
  follow(token: string): void;
  /** Reads the test clocks now, so that a request after a moved clock gets the state of that time. */
  catchUp(): Promise<void>;
  stop(): void;
}

/** `paywall`: the address of the API, from which test clocks are read. */
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
      // A running read may have begun before the clock was moved.
      await reading;
      await read();
      move();
    },
    stop: () => clearInterval(timer),
  };
}

/** Undefined while the API is unavailable or refuses the token. */
async function readAhead(paywall: string, token: string): Promise<number | undefined> {
  try {
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await fetch(`${paywall}/test-clock`, { headers, signal: AbortSignal.timeout(5_000) });
    return TestClock.parse(await answer.json()).ahead * 1000;
  } catch {
    return undefined;
  }
}
