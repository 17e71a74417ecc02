import { type CardProvider } from '../../src/adapters/cardProviders/provider';

/** The answers that the service expects of a provider that lists the payouts to the bank account of the merchant. */

interface UnderTest {
  provider: CardProvider;
  payOut?(amountMinor: number, currency: string): Promise<string>;
  failPayout?(reference: string): Promise<void>;
}

const longAgo = () => new Date(Date.now() - 86_400_000);

export function describePayouts(get: () => UnderTest): void {
  const payOut = async (amountMinor: number, currency: string) =>
    (await get().payOut?.(amountMinor, currency)) ?? 'no payout';

  async function movementsOf(reference: string, since = longAgo()) {
    const found = [];
    for await (const one of get().provider.listBalance?.(since) ?? [])
      if (one.objectReference === reference) found.push(one);
    return found;
  }

  describe('a payout', () => {
    test.each([
      ['EUR', 1_250],
      ['JPY', 990],
      ['KWD', 1_230],
      ['ISK', 500],
      ['EUR', -700],
    ])(
      'in %s of %i minor units is listed once with this amount, and comes back once it failed',
      async (currency, minor) => {
        const reference = await payOut(minor, currency);
        const payout = { kind: 'payout', chargeReference: '', amountMinor: minor, currency, feeMinor: 0 };
        expect(await movementsOf(reference)).toMatchObject([payout]);
        await get().failPayout?.(reference);
        const moved = await movementsOf(reference);
        expect(moved.sort((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
          payout,
          { ...payout, kind: 'payout_failure' },
        ]);
        expect(new Set(moved.map((one) => one.reference)).size).toBe(2);
      },
    );

    test('is not listed before its time', async () => {
      const reference = await payOut(100, 'EUR');
      expect(await movementsOf(reference, new Date(Date.now() + 3_600_000))).toEqual([]);
    });
  });
}
