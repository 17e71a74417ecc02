import { randomUUID } from 'node:crypto';
import { type CardProvider, type ChargeRequest } from '../../src/adapters/cardProviders/provider';

/** The answers that the service expects of a provider that makes direct debits. */

const dayMs = 86_400_000;
const daysLater = (days: number) => new Date(Date.now() + days * dayMs);

type Fate = 'paid' | 'failed' | 'returned';

interface UnderTest {
  provider: CardProvider;
  bankAccounts?: Record<Fate, string>;
  /** The banks decide on all debits that they have. Absent: they decide by the time of the look-up. */
  letBanksDecide?(): void;
}

const newSigner = () => ({
  owner: { accountUuid: randomUUID() },
  email: 'ana@example.org',
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
});

type RequestFor = (token: string, changes?: Partial<ChargeRequest>) => ChargeRequest;

export function describeDebits(get: () => UnderTest, requestFor: RequestFor): void {
  const makerOf = ({ provider: { debits } }: UnderTest) => {
    if (!debits) throw new Error('the provider makes no direct debits');
    return debits;
  };
  const signMandate = (fate: Fate) =>
    makerOf(get()).createMandate({ iban: get().bankAccounts?.[fate] ?? '', holderName: 'Ana Petrova' }, newSigner());
  const submit = async (fate: Fate) => {
    const { token } = await signMandate(fate);
    const request = requestFor(token, { isDebit: true, at: new Date() });
    return { request, result: await get().provider.charge(request) };
  };
  const lookUpDecided = (request: ChargeRequest) => {
    get().letBanksDecide?.();
    return lookUpAt(request, daysLater(14));
  };
  const lookUpAt = ({ idempotencyKey, token }: ChargeRequest, at: Date) =>
    get().provider.lookUpCharge(idempotencyKey, { token, at });

  describe('direct debits', () => {
    test('a mandate has the facts that a person recognises, and never the account', async () => {
      const iban = get().bankAccounts?.paid ?? '';
      const mandate = await signMandate('paid');
      expect(mandate).toMatchObject({ lastFour: iban.slice(-4), country: 'DE', holderName: 'Ana Petrova' });
      expect([mandate.token, mandate.reference, mandate.fingerprint]).not.toContain('');
      expect(JSON.stringify(mandate)).not.toContain(iban.slice(4));
    });

    test('422: an account that cannot be debited names its field', async () => {
      const refused = makerOf(get()).createMandate({ iban: 'DE00', holderName: 'Ana Petrova' }, newSigner());
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_input',
        details: { errors: { iban: expect.any(String) as string } },
      });
    });

    test('the same account has the same fingerprint', async () => {
      const [one, two] = [await signMandate('paid'), await signMandate('paid')];
      expect(two.fingerprint).toBe(one.fingerprint);
    });

    test('a debit is processed for days, and paid once by three requests with one key', async () => {
      const { request, result } = await submit('paid');
      expect(result).toEqual({ outcome: 'processing', reference: expect.any(String) as string });
      expect(await get().provider.charge(request)).toEqual(result);
      expect(await lookUpAt(request, daysLater(1))).toEqual(result);
      expect(await lookUpDecided(request)).toEqual({ ...result, outcome: 'paid' });
      // A provider may repeat its first answer to the key.
      expect([result, { ...result, outcome: 'paid' }]).toContainEqual(await get().provider.charge(request));
      expect(await lookUpDecided(request)).toEqual({ ...result, outcome: 'paid' });
    });

    test('a debit that fails days later is declined with a reason', async () => {
      const { request, result } = await submit('failed');
      expect(result.outcome).toBe('processing');
      const failed = { outcome: 'declined', reason: 'insufficient_funds', decline: 'soft' };
      expect(await lookUpDecided(request)).toMatchObject(failed);
    });

    test('a debit that the bank has already cannot be stopped', async () => {
      const { request, result } = await submit('paid');
      const known = { token: request.token, at: daysLater(1) };
      expect(await get().provider.voidCharge(request.idempotencyKey, known)).toEqual(result);
      expect(await lookUpDecided(request)).toMatchObject({ outcome: 'paid' });
    });

    test('a paid debit is refunded once by two requests with one key', async () => {
      const { request } = await submit('paid');
      const paid = await lookUpDecided(request);
      const chargeReference = 'reference' in paid ? paid.reference : '';
      const refund = {
        idempotencyKey: `${request.idempotencyKey}:refund`,
        chargeKey: request.idempotencyKey,
        chargeReference,
        amountMinor: request.amountMinor,
        currency: request.currency,
      };
      const first = await get().provider.refund(refund);
      expect(first.outcome).toBe('refunded');
      expect(await get().provider.refund(refund)).toEqual(first);
    });

    test('a return is found when the payer has made it, and stands in the balance with its charge', async () => {
      const { request, result } = await submit('returned');
      const maker = makerOf(get());
      if (!maker.findReturn) return;
      const findReturn = (key: string, at: Date) => maker.findReturn?.(key, at);
      expect(await findReturn(request.idempotencyKey, daysLater(60))).toBeUndefined();
      await lookUpDecided(request);
      expect(await findReturn(request.idempotencyKey, daysLater(1))).toBeUndefined();
      const found = await findReturn(request.idempotencyKey, daysLater(60));
      expect(found).toMatchObject({ reference: expect.stringMatching(/./) as string });
      expect(await findReturn(request.idempotencyKey, daysLater(60))).toEqual(found);
      const moved: unknown[] = [];
      const reference = 'reference' in result ? result.reference : '';
      for await (const one of get().provider.listBalance?.(new Date(Date.now() - dayMs)) ?? [])
        if (one.chargeReference === reference) moved.push([one.kind, one.objectReference, one.amountMinor]);
      expect(moved.sort()).toEqual([
        ['charge', '', request.amountMinor],
        ['dispute', found?.reference, request.amountMinor],
      ]);
    });
  });
}
