import { randomUUID } from 'node:crypto';
import { type CardProvider, type ChargeRequest } from '../../src/adapters/cardProviders/provider';
import { walletNames, type WalletName } from '../../src/kit/paymentMethods';

/** The answers that the service expects of a provider with Link in its form, and with wallets on a page. */

interface UnderTest {
  provider: CardProvider;
  /** A new token of Link of the provider's form. Absent: only a person in a browser can make one. */
  createLinkToken?(): Promise<string>;
  /** The payer pays with a wallet. */
  payByWallet?(reference: string): Promise<void>;
}

type RequestFor = (token: string, changes?: Partial<ChargeRequest>) => ChargeRequest;

export function describeWallets(get: () => UnderTest, requestFor: RequestFor): void {
  const lookUp = ({ idempotencyKey, token }: ChargeRequest) => get().provider.lookUpCharge(idempotencyKey, { token });

  async function adoptLink() {
    const paymentToken = (await get().createLinkToken?.()) ?? '';
    return get().provider.adoptToken(paymentToken, { accountUuid: randomUUID() });
  }

  describe('Link', () => {
    test('has no digits and no expiry date', async () => {
      const printed = { brand: 'link', lastFour: '', expiryMonth: null, expiryYear: null };
      expect(await adoptLink()).toMatchObject({ method: 'link', ...printed });
    });

    test('pays a present payer, and later charges without the payer', async () => {
      const { token } = await adoptLink();
      const first = await get().provider.charge(requestFor(token));
      expect(first).toMatchObject({ outcome: 'paid' });
      const saved = 'cardToken' in first ? (first.cardToken ?? token) : token;
      for (const isOffSession of [true, false])
        expect(await get().provider.charge(requestFor(saved, { isOffSession }))).toMatchObject({ outcome: 'paid' });
    });

    test('is set up, and pays later charges', async () => {
      const { token } = await adoptLink();
      const verified = await get().provider.setUpCard(token);
      expect(verified).toMatchObject({ outcome: 'verified' });
      const saved = 'cardToken' in verified ? verified.cardToken : token;
      const later = await get().provider.charge(requestFor(saved, { isOffSession: true }));
      expect(later).toMatchObject({ outcome: 'paid' });
    });
  });

  describe.each(walletNames)('a payment by %s', (method) => {
    async function begun(of: WalletName) {
      const payer = { owner: { accountUuid: randomUUID() }, name: 'Ana Petrova', email: 'ana@example.org' };
      const token = (await get().provider.redirects?.begin(of, payer)) ?? '';
      const acceptedFrom = { address: '203.0.113.7', userAgent: 'Linux' };
      const request = requestFor(token, { redirect: { method: of, savesMandate: false, acceptedFrom } });
      const asked = await get().provider.charge(request);
      return { request, asked, reference: 'reference' in asked ? asked.reference : '' };
    }

    test('waits for the payer, and is paid once', async () => {
      const { request, asked, reference } = await begun(method);
      expect(asked).toMatchObject({ outcome: 'requires_action', reference });
      expect(await get().provider.charge(request)).toEqual(asked);
      expect(await lookUp(request)).toEqual(asked);
      await get().payByWallet?.(reference);
      expect(await lookUp(request)).toEqual({ outcome: 'paid', reference });
    });

    test('that the payer abandons ends with a void', async () => {
      const { request, reference } = await begun(method);
      const ended = { outcome: 'declined', reason: 'authentication_expired' };
      const known = { reference, token: request.token };
      expect(await get().provider.voidCharge(request.idempotencyKey, known)).toMatchObject(ended);
      expect(await lookUp(request)).toMatchObject(ended);
    });
  });
}
