import { type CardProvider, type ChargeRequest, type SetupResult } from '../../src/adapters/cardProviders/provider';

/** The answers that the service expects when a card is saved for charges without its payer. */

interface UnderTest {
  provider: CardProvider;
  saveCard(card: 'needs_authentication' | 'authenticated_once'): Promise<string>;
  answerBank?(reference: string, answer: 'approved' | 'refused'): Promise<void>;
}

type RequestFor = (token: string, changes?: Partial<ChargeRequest>) => ChargeRequest;

const returnUrl = 'https://shop.example.org/back';

export function describeSetups(get: () => UnderTest, requestFor: RequestFor): void {
  async function waiting(card: 'needs_authentication' | 'authenticated_once' = 'authenticated_once') {
    const token = await get().saveCard(card);
    const asked = await get().provider.setUpCard(token, returnUrl);
    const reference = 'reference' in asked ? asked.reference : '';
    const answer = async (given: 'approved' | 'refused') => get().answerBank?.(reference, given);
    return { token, asked, reference, answer };
  }
  const verified: SetupResult = { outcome: 'verified', cardToken: expect.stringMatching(/./) as string };

  describe('the set-up of a card', () => {
    test('has a page of the bank, and is verified once the payer has approved it', async () => {
      const { asked, reference, answer } = await waiting();
      const redirectUrl = expect.stringMatching(/^https?:/) as string;
      expect(asked).toEqual({ outcome: 'requires_action', reference, redirectUrl });
      expect(await get().provider.lookUpSetup(reference)).toEqual(asked);
      await answer('approved');
      expect(await get().provider.lookUpSetup(reference)).toEqual(verified);
      expect(await get().provider.voidSetup(reference)).toEqual(verified);
    });

    test('that the payer refuses is declined', async () => {
      const { reference, answer } = await waiting();
      await answer('refused');
      const declined = { outcome: 'declined', reason: 'authentication_failed' };
      expect(await get().provider.lookUpSetup(reference)).toMatchObject(declined);
    });

    test('that is given up is declined, also at a later look-up', async () => {
      const { reference } = await waiting();
      const declined = { outcome: 'declined', reason: 'authentication_expired' };
      expect(await get().provider.voidSetup(reference)).toMatchObject(declined);
      expect(await get().provider.voidSetup(reference)).toMatchObject(declined);
      expect(await get().provider.lookUpSetup(reference)).toMatchObject(declined);
    });

    test('lets a charge of the absent payer be paid, if the bank asks once', async () => {
      const { reference, answer } = await waiting();
      await answer('approved');
      const set = await get().provider.lookUpSetup(reference);
      const token = set.outcome === 'verified' ? set.cardToken : '';
      expect(await get().provider.charge(requestFor(token, { isOffSession: true }))).toMatchObject({ outcome: 'paid' });
    });

    test('absent: the bank declines a charge of the absent payer, which waits without a page', async () => {
      const token = await get().saveCard('authenticated_once');
      const asked = await get().provider.charge(requestFor(token, { isOffSession: true }));
      expect(asked).toEqual({ outcome: 'requires_action', reference: expect.any(String) as string });
    });

    test('does not help if the bank asks for each charge', async () => {
      const { reference, answer } = await waiting('needs_authentication');
      await answer('approved');
      const set = await get().provider.lookUpSetup(reference);
      const token = set.outcome === 'verified' ? set.cardToken : '';
      const asked = await get().provider.charge(requestFor(token, { isOffSession: true }));
      expect(asked).toEqual({ outcome: 'requires_action', reference: expect.any(String) as string });
    });
  });
}
