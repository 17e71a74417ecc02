import { randomUUID } from 'node:crypto';
import { type CardProvider, type ChargeRequest } from '../../src/adapters/cardProviders/provider';
import { agreementMethods, redirectMethods, type RedirectMethod } from '../../src/adapters/cardProviders/redirects';

/** The answers that the service expects of a provider whose payers pay on a page of their bank. */

interface UnderTest {
  provider: CardProvider;
  answerBank?(reference: string, answer: 'approved' | 'refused'): Promise<void>;
  letBanksDecide?(): void;
}

type RequestFor = (token: string, changes?: Partial<ChargeRequest>) => ChargeRequest;

const acceptedFrom = { address: '203.0.113.7', userAgent: 'Linux' };

const daysLater = (days: number) => new Date(Date.now() + days * 86_400_000);

export function describeRedirects(get: () => UnderTest, requestFor: RequestFor): void {
  const answer = async (reference: string, given: 'approved' | 'refused') => get().answerBank?.(reference, given);
  const lookUp = ({ idempotencyKey, token }: ChargeRequest, at = new Date()) =>
    get().provider.lookUpCharge(idempotencyKey, { token, at });

  async function begin(method: RedirectMethod): Promise<string> {
    const payer = { owner: { accountUuid: randomUUID() }, name: 'Ana Petrova', email: 'ana@example.org' };
    const token = await get().provider.redirects?.begin(method, payer);
    if (token === undefined) throw new Error('the provider makes no payments on a page');
    return token;
  }

  async function settingUp(method: RedirectMethod) {
    const token = await begin(method);
    const asked = await get().provider.setUpOnPage?.(token, { method, acceptedFrom });
    return { token, asked, reference: asked && 'reference' in asked ? asked.reference : '' };
  }

  async function begun(method: RedirectMethod, savesMandate: boolean) {
    const redirect = { method, savesMandate, acceptedFrom };
    const request = requestFor(await begin(method), { redirect });
    const asked = await get().provider.charge(request);
    return { request, asked, reference: 'reference' in asked ? asked.reference : '' };
  }

  describe.each(redirectMethods)('a payment by %s', (method) => {
    test('has a page, and is paid once the payer has paid there', async () => {
      const { request, asked, reference } = await begun(method, false);
      const redirectUrl = expect.stringMatching(/^https?:/) as string;
      expect(asked).toEqual({ outcome: 'requires_action', reference, redirectUrl });
      expect(await get().provider.charge(request)).toEqual(asked);
      expect(await lookUp(request)).toEqual(asked);
      await answer(reference, 'approved');
      expect(await lookUp(request)).toEqual({ outcome: 'paid', reference });
      const known = { reference, token: request.token };
      expect(await get().provider.voidCharge(request.idempotencyKey, known)).toEqual({ outcome: 'paid', reference });
    });

    test('that the payer cancels is declined', async () => {
      const { request, reference } = await begun(method, true);
      await answer(reference, 'refused');
      expect(await lookUp(request)).toMatchObject({ outcome: 'declined', reason: 'authentication_failed' });
    });

    test('that the payer abandons ends with a void', async () => {
      const { request, reference } = await begun(method, true);
      const ended = { outcome: 'declined', reason: 'authentication_expired' };
      const known = { reference, token: request.token };
      expect(await get().provider.voidCharge(request.idempotencyKey, known)).toMatchObject(ended);
      // A provider may refuse an answer that nobody waits for.
      await answer(reference, 'approved').catch(() => undefined);
      expect(await lookUp(request)).toMatchObject(ended);
    });

    if (agreementMethods.some((name) => name === method)) return;

    test('makes a mandate, which pays later charges within days', async () => {
      const { request, reference } = await begun(method, true);
      await answer(reference, 'approved');
      const paid = await lookUp(request);
      const saved = { cardToken: expect.stringMatching(/./) as string, lastFour: '3000' };
      expect(paid).toEqual({ outcome: 'paid', reference, ...saved });
      expect(await lookUp(request)).toEqual(paid);
      const known = { reference, token: request.token };
      expect(await get().provider.lookUpCharge(request.idempotencyKey, known)).toEqual(paid);
      const token = 'cardToken' in paid ? (paid.cardToken ?? '') : '';
      const renewal = requestFor(token, { isDebit: true, isOffSession: true, at: new Date() });
      expect(await get().provider.charge(renewal)).toMatchObject({ outcome: 'processing' });
      get().letBanksDecide?.();
      expect(await lookUp(renewal, daysLater(14))).toMatchObject({ outcome: 'paid' });
    });
  });

  describe.each(redirectMethods)('a set-up by %s', (method) => {
    test('has a page, and makes what pays later charges', async () => {
      const { token, asked, reference } = await settingUp(method);
      const redirectUrl = expect.stringMatching(/^https?:/) as string;
      expect(asked).toEqual({ outcome: 'requires_action', reference, redirectUrl });
      expect(await get().provider.lookUpSetup(reference)).toEqual(asked);
      await answer(reference, 'approved');
      const verified = await get().provider.lookUpSetup(reference);
      expect(verified).toMatchObject({ outcome: 'verified', cardToken: expect.stringMatching(/./) as string });
      expect(await get().provider.voidSetup(reference)).toEqual(verified);
      const saved = 'cardToken' in verified ? verified.cardToken : token;
      const isAgreed = method === 'paypal';
      const how = isAgreed ? ({ agreement: method } as const) : { isDebit: true, at: new Date() };
      const later = await get().provider.charge(requestFor(saved, { ...how, isOffSession: true }));
      expect(later).toMatchObject({ outcome: isAgreed ? 'paid' : 'processing' });
      if (!isAgreed) expect(verified).toMatchObject({ lastFour: '3000' });
    });

    test('that the payer refuses is declined', async () => {
      const { reference } = await settingUp(method);
      await answer(reference, 'refused');
      const refused = { outcome: 'declined', reason: 'authentication_failed' };
      expect(await get().provider.lookUpSetup(reference)).toMatchObject(refused);
    });

    test('that the payer abandons ends with a void', async () => {
      const { reference } = await settingUp(method);
      const ended = { outcome: 'declined', reason: 'authentication_expired' };
      expect(await get().provider.voidSetup(reference)).toMatchObject(ended);
      await answer(reference, 'approved').catch(() => undefined);
      expect(await get().provider.lookUpSetup(reference)).toMatchObject(ended);
    });
  });

  describe.each(agreementMethods)('an agreement by %s', (method) => {
    test('is made by a paid first period, and pays later charges at once without the payer', async () => {
      const { request, reference } = await begun(method, true);
      await answer(reference, 'approved');
      const paid = await lookUp(request);
      expect(paid).toMatchObject({ outcome: 'paid', reference, cardToken: expect.stringMatching(/./) as string });
      const known = { reference, token: request.token };
      expect(await get().provider.lookUpCharge(request.idempotencyKey, known)).toMatchObject(paid);
      const token = 'cardToken' in paid ? (paid.cardToken ?? '') : '';
      const renewal = requestFor(token, { agreement: method, isOffSession: true });
      const renewed = await get().provider.charge(renewal);
      expect(renewed).toMatchObject({ outcome: 'paid' });
      expect(await get().provider.charge(renewal)).toEqual(renewed);
      expect(await lookUp(renewal)).toEqual(renewed);
    });

    test('is not made by a payment that allows no later ones', async () => {
      const { request, reference } = await begun(method, false);
      await answer(reference, 'approved');
      expect(await lookUp(request)).not.toHaveProperty('cardToken');
    });
  });
}
