import { SocketLimits } from '../../src/adapters/socketLimits';
import { type CounterStore, RateLimiter } from '../../src/kit/rateLimit';

/** The handshakes of an address, of which a flood is refused before anything is read for it. */

const perMinute = 3;
const mostHandshakes = 10 * perMinute;
const store: CounterStore = { add: (counts) => Promise.resolve(new Map(counts)) };

function startLimits() {
  let nowMs = 60_000;
  const limiter = new RateLimiter(store, () => nowMs);
  const limits = new SocketLimits(limiter, { perAccount: 20, perAddress: 200, perMinute });
  const opened = (address: string, times: number) =>
    Array.from({ length: times }, () => limits.mayOpen(address)).filter(Boolean).length;
  return { opened, pass: (ms: number) => (nowMs += ms), stop: () => limiter.stop() };
}

test.each([
  ['one address', '203.0.113.1', '203.0.113.1'],
  ['a network of IPv6', '2001:db8:7:7::1', '2001:db8:7:7:ffff::9'],
])('%s opens ten times its limit of requests, until the next minute', (_what, first, second) => {
  const { opened, pass, stop } = startLimits();
  expect(opened(first, mostHandshakes)).toBe(mostHandshakes);
  expect(opened(second, 5)).toBe(0);
  expect(opened('203.0.113.2', 1)).toBe(1);
  pass(60_000);
  expect(opened(second, 1)).toBe(1);
  stop();
});
