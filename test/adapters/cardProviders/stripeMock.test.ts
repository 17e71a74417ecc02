import { randomUUID } from 'node:crypto';
import {
  checkAccount,
  checkNotifications,
  deleteRegistrations,
  registerDomain,
  registerNotifications,
} from '../../../src/adapters/cardProviders/stripeAccount';
import {
  createConnectedAccount,
  createOnboardingLink,
  readConnectedAccount,
} from '../../../src/adapters/cardProviders/stripeConnect';
import { createStripe } from '../../../src/adapters/cardProviders/stripe';
import { redirectMethods } from '../../../src/adapters/cardProviders/redirects';
import { walletNames } from '../../../src/kit/paymentMethods';
import { type CardProvider } from '../../../src/adapters/cardProviders/provider';
import { goCompiler, startStripeMock, type StripeMock } from '../../support/stripeMock';

/** The mock answers with fixtures and stores nothing. It proves that Stripe's schema accepts each of our requests. */
const withGo = goCompiler === undefined ? describe.skip : describe;

withGo('requests that the published schema takes', () => {
  let mock: StripeMock;
  let provider: CardProvider;
  beforeAll(async () => {
    mock = await startStripeMock();
    const settings = {
      secretKey: 'sk_test_123',
      webhookSecret: 'whsec_1',
      returnUrl: 'https://paywall.example/payments/return',
      timeoutMs: 10_000,
    };
    provider = createStripe({ ...settings, apiBase: mock.url, acceptsRawCards: true });
  });
  afterAll(() => mock.stop());

  const request = {
    token: 'cus_1/pm_1',
    amountMinor: 999,
    currency: 'EUR',
    description: 'Subscription',
    returnUrl: 'https://shop.example/back',
  };

  test('a card typed here, and one typed in the form of Stripe', async () => {
    const owner = { accountUuid: randomUUID() };
    const card = {
      number: '4242424242424242',
      holderName: 'Ana',
      expiryMonth: 1,
      expiryYear: 2040,
      securityCode: '123',
    };
    expect(await provider.tokenise(card, owner)).toMatchObject({
      token: expect.stringMatching(/^cus_.+\/pm_/) as string,
    });
    expect(await provider.adoptToken('pm_1', owner)).toMatchObject({
      lastFour: expect.stringMatching(/^\d{4}$/) as string,
    });
  });

  test('a charge of a payer who is there, a renewal, a look-up and a void', async () => {
    const answered = ['paid', 'declined', 'pending', 'requires_action', 'unknown'];
    const outcomes = [
      await provider.charge({ ...request, idempotencyKey: randomUUID() }),
      await provider.charge({ ...request, idempotencyKey: randomUUID(), isOffSession: true }),
    ].map(({ outcome }) => outcome);
    for (const outcome of outcomes) expect(answered).toContain(outcome);
    // None of the fixtures has a name of ours, so the list is read and nothing is found.
    expect(await provider.lookUpCharge(randomUUID(), request)).toEqual({ outcome: 'not_sent' });
    expect(answered).toContain((await provider.lookUpCharge(randomUUID(), { reference: 'pi_1' })).outcome);
    expect(answered).toContain((await provider.voidCharge(randomUUID(), { reference: 'pi_1' })).outcome);
    const confirmation = { reference: 'pi_1', token: request.token };
    expect(answered).toContain((await provider.confirmCharge(randomUUID(), confirmation)).outcome);
  });

  test.each(['link:cus_1/ctoken_1', 'link:cus_1/pm_1'])(
    'a charge of Link by the token %s, with and without the payer',
    async (token) => {
      for (const isOffSession of [false, true]) {
        const charge = { ...request, token, isOffSession, idempotencyKey: randomUUID() };
        expect((await provider.charge(charge)).outcome).not.toBe('misconfigured');
      }
    },
  );

  test.each(['cus_1/pm_1', 'cus_1/ctoken_1', 'link:cus_1/pm_1', 'link:cus_1/ctoken_1'])(
    'the set-up of the card %s, its look-up and its void',
    async (token) => {
      const answered = ['verified', 'requires_action', 'declined', 'unknown'];
      expect(answered).toContain((await provider.setUpCard(token, 'https://shop.example/back')).outcome);
      expect(answered).toContain((await provider.lookUpSetup('seti_1')).outcome);
      expect(answered).toContain((await provider.voidSetup('seti_1')).outcome);
    },
  );

  test('a confirmation token, a charge with it, and the secret for the script of Stripe', async () => {
    // The fixture has expired long ago.
    const adopting = provider.adoptToken('ctoken_1', { accountUuid: randomUUID() });
    await expect(adopting).rejects.toMatchObject({
      details: { errors: { payment_token: 'The payment_token has expired. Enter the card again.' } },
    });
    const charge = { ...request, token: 'cus_1/ctoken_1', idempotencyKey: randomUUID() };
    expect((await provider.charge(charge)).outcome).not.toBe('misconfigured');
    for (const reference of ['pi_1', 'seti_1']) await provider.findClientSecret?.(reference);
  });

  test('a mandate for direct debits, and a debit', async () => {
    const signer = {
      owner: { accountUuid: randomUUID() },
      email: 'ana@example.org',
      address: '203.0.113.7',
      userAgent: 'Mozilla/5.0',
    };
    const account = { iban: 'DE89370400440532013000', holderName: 'Ana' };
    expect((await provider.debits?.createMandate(account, signer))?.token).toMatch(/^cus_.+\/pm_/);
    const debit = { ...request, idempotencyKey: randomUUID(), isDebit: true };
    expect((await provider.charge(debit)).outcome).not.toBe('misconfigured');
  });

  test.each(redirectMethods)('a payment by %s, with and without a mandate', async (method) => {
    const payer = { owner: { accountUuid: randomUUID() }, name: 'Ana', email: 'ana@example.org' };
    const token = (await provider.redirects?.begin(method, payer)) ?? '';
    expect(token).toMatch(/^cus_.+\/pm_/);
    for (const savesMandate of [true, false]) {
      const redirect = { method, savesMandate, acceptedFrom: { address: '203.0.113.7', userAgent: 'Linux' } };
      const charge = { ...request, token, redirect, idempotencyKey: randomUUID() };
      expect((await provider.charge(charge)).outcome).not.toBe('misconfigured');
    }
  });

  test.each(walletNames)('a payment by %s, whose payer confirms it on our page', async (method) => {
    const payer = { owner: { accountUuid: randomUUID() }, name: 'Ana', email: 'ana@example.org' };
    const token = (await provider.redirects?.begin(method, payer)) ?? '';
    const redirect = { method, savesMandate: false, acceptedFrom: { address: '203.0.113.7', userAgent: 'Linux' } };
    const charge = { ...request, token, redirect, idempotencyKey: randomUUID() };
    expect((await provider.charge(charge)).outcome).not.toBe('misconfigured');
  });

  test.each(redirectMethods)('a set-up by %s', async (method) => {
    const payer = { owner: { accountUuid: randomUUID() }, name: 'Ana', email: 'ana@example.org' };
    const token = (await provider.redirects?.begin(method, payer)) ?? '';
    const acceptedFrom = { address: '203.0.113.7', userAgent: 'Linux' };
    const asked = await provider.setUpOnPage?.(token, { method, acceptedFrom });
    expect(asked?.outcome).not.toBe('misconfigured');
  });

  test('a refund, and the look-up of one', async () => {
    const refund = { chargeKey: 'S-1:1:1', chargeReference: 'pi_1', amountMinor: 1, currency: 'EUR' };
    expect((await provider.refund({ ...refund, idempotencyKey: randomUUID() })).outcome).toBe('refunded');
    expect((await provider.lookUpRefund({ ...refund, idempotencyKey: randomUUID() })).outcome).toBe('not_sent');
  });

  test('the look-up of a dispute, and its evidence with a receipt', async () => {
    expect(await provider.readDispute?.('dp_1')).toMatchObject({
      reference: expect.stringMatching(/^(dp|du)_/) as string,
    });
    const evidence = {
      customerName: 'Ana Petrova',
      customerEmail: 'ana@example.org',
      customerAddress: '203.0.113.7',
      productDescription: 'Cup final: Monthly pass',
      serviceDay: '2026-03-01',
      accessLog: '2026-03-01 12:00 UTC: the customer signed in with iPhone (iOS, mobile)',
      statement: 'The customer watched it.',
    };
    const receipt = { bytes: Buffer.from('%PDF-1.7\n%%EOF'), name: 'receipt-S-1-1-1.pdf' };
    for (const sent of [evidence, { ...evidence, customerAddress: '' }, { ...evidence, receipt }])
      expect(await provider.submitEvidence?.('dp_1', sent)).toEqual({ outcome: 'submitted' });
  });

  // The mock knows secret keys only.
  const keys = { secretKey: 'sk_test_123', publishableKey: 'sk_test_123' };
  const access = () => ({ apiBase: mock.url, timeoutMs: 10_000 });

  test('the check of an account, and the registration of its notifications', async () => {
    // The fixture may not take payments, which the check reports. Every other problem is a refused request.
    const { accountId, problems } = await checkAccount(keys, access());
    expect(accountId).toMatch(/^acct_/);
    expect(problems.filter(({ field }) => field !== 'account')).toEqual([]);
    const url = 'https://pay.example.org/payments/stripe/notifications';
    const registered = await registerNotifications(keys.secretKey, url, access());
    expect(registered).toMatchObject({ id: expect.stringMatching(/^we_/) as string });
    expect(await checkNotifications(keys.secretKey, url, access())).toMatchObject({ field: 'webhook_secret' });
    await deleteRegistrations(keys.secretKey, ['we_1'], access());
  });

  test('the registration of a wallet domain', async () => {
    const problem = await registerDomain(keys.secretKey, 'pay.example.org', access());
    // The fixture is active, or says why it is not. A refused request would be the only other text.
    expect(problem?.message ?? '').toMatch(/^$|^Apple Pay is not active for pay\.example\.org\./);
  });

  test('an account below a platform, its link, its state and its restriction', async () => {
    const platform = { ...keys, webhookSecret: 'whsec_1' };
    const made = { key: randomUUID(), merchantUuid: randomUUID() };
    expect(await createConnectedAccount(platform, made, access())).toMatch(/^acct_/);
    const urls = { returnUrl: 'https://pay.example.org/a', refreshUrl: 'https://pay.example.org/b' };
    // Stripe reports a restriction as a state of the account.
    expect(await createOnboardingLink(platform, { accountId: 'acct_1', ...urls }, access())).toMatch(/^https:/);
    expect(await readConnectedAccount(platform, 'acct_1', access())).toMatchObject({
      missing: expect.any(Array) as string[],
    });
  });

  test('a calculation of tax, a recorded sale and its reversal', async () => {
    const address = { country: 'US', region: 'US-NY', postalCode: '10118', city: 'New York', line: '5th Avenue 350' };
    const asked = { amountMinor: 999, currency: 'USD', address, at: new Date() } as const;
    const business = { address: { country: 'AT' }, taxNumber: 'ATU13585627', currency: 'EUR' } as const;
    for (const kind of ['standard', 'ebook', 'press'] as const)
      for (const more of [{}, business]) {
        const result = await provider.taxes?.calculate({ ...asked, kind, ...more });
        // The amounts of the fixture are not those of the request.
        if (result?.outcome === 'misconfigured') expect(result.fault.code).toBe('tax_does_not_add_up');
        else expect(result?.outcome).toBe('calculated');
      }
    const sale = await provider.taxes?.record({ calculation: 'taxcalc_1', reference: 'S-1-1-1' });
    expect(sale).toMatchObject({ outcome: 'recorded', transaction: expect.stringMatching(/./) as string });
    const part = { transaction: 'tax_1', line: 'tax_li_1', reference: 'R-1', amountMinor: 333, taxMinor: 53 };
    expect(await provider.taxes?.reverse({ ...part, currency: 'EUR' })).toMatchObject({ outcome: 'recorded' });
  });

  test('a request that the schema does not take is seen: the mock holds against it', async () => {
    const bad = { ...request, idempotencyKey: randomUUID(), amountMinor: Number.NaN };
    expect(await provider.charge(bad)).toMatchObject({ outcome: 'misconfigured' });
  });
});
